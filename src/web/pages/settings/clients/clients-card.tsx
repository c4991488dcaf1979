import { useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import {
  useClientGroups,
  useExclusions,
  type ClientExclusionRule,
  type ClientGroup,
} from '../../../api/client-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { isName } from '../../../app/clients/draft.ts'
import { groupOf } from '../../../app/clients/membership.ts'
import { reverted, countingsOf, type Counting } from '../../../app/clients/counting.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card, Pending } from '../../../components/card.tsx'
import { Choice, SearchField, optionsOf } from '../../../components/form-controls.tsx'
import {
  GroupChoice,
  NamePencil,
  CountingChoice,
} from '../../../components/clients/client-controls.tsx'
import { DeviceIcon } from '../../../components/clients/device-icon.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { t } from '../../../locales/translate.ts'
import { AddAddress, useHostOf, useKnownClients } from './add-address.tsx'

const modes = ['exclude', 'hide'] as const

interface Row {
  ip: string
  /** Its own name, its host name, or its address. */
  name: string
  group: ClientGroup | null
  counting: Counting
}

const columnsOf = (groups: readonly ClientGroup[]): Column<Row>[] => [
  {
    header: t('column.client'),
    width: 'minmax(0,1fr)',
    cell: ({ ip, name }) => (
      <>
        <span className="flex items-center gap-1.5">
          <DeviceIcon ip={ip} />
          <span className="figure truncate font-medium">{name}</span>
          <NamePencil ip={ip} />
        </span>
        {name !== ip && <span className="block truncate text-small text-dim">{ip}</span>}
      </>
    ),
  },
  {
    header: t('clients.groupAndStatistics'),
    width: 'minmax(142px,0.8fr)',
    cell: ({ ip, name, counting }) => (
      <span data-entry className="flex flex-wrap gap-2 py-1 sm:[&_select]:w-[142px]">
        <GroupChoice ip={ip} name={name} groups={groups} />
        <CountingChoice ip={ip} name={name} counting={counting} />
      </span>
    ),
  },
]

/** Excluded clients first, then those with a name or a group, then all others. */
function useRows(groups: readonly ClientGroup[], countings: ReadonlyMap<string, Counting>): Row[] {
  const known = useKnownClients()
  const nameOf = useHostOf()
  const members = groups.flatMap(({ memberIps }) => memberIps)
  const ips = new Set([...countings.keys(), ...members, ...known.map(({ ip }) => ip)])
  return [...ips].map((ip) => {
    const group = groupOf(groups, ip)
    const ownName = group !== null && isName(group) ? group.nickname : null
    const name = ownName ?? nameOf(ip) ?? ip
    return { ip, name, group, counting: countings.get(ip) ?? 'counted' }
  })
}

/** Adds rules at once; undo removes exactly these. */
function useAddRules() {
  const { save, isBusy } = useSave({
    stale: [keys.exclusions, keys.downloads, keys.before, ...keys.reports],
  })
  const add = (ips: readonly string[], mode: ClientExclusionRule['mode']) => {
    let before: ClientExclusionRule[] = []
    let after: ClientExclusionRule[] = []
    const read = async () => (await unwrap(api.stats.exclusions.get())).rules
    const write = async (rules: ClientExclusionRule[]) =>
      (await unwrap(api.stats.exclusions.put({ rules }))).rules
    save({
      run: async () => {
        before = await read()
        const others = before.filter(({ ip }) => !ips.includes(ip))
        after = await write([...others, ...ips.map((ip) => ({ ip, mode }))])
      },
      done: t('counting.added', { ips: ips.join(', ') }),
      undo: async () => write(reverted(before, after, await read())),
    })
  }
  return { add, isBusy }
}

/** Every client of the last month: its name, its group, and whether statistics count it. */
export function ClientsCard() {
  const navigate = useNavigate()
  const { data: groups = [] } = useClientGroups()
  const { data, error } = useExclusions()
  const adding = useAddRules()
  const [mode, setMode] = useState<ClientExclusionRule['mode']>('exclude')
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const all = useRows(groups, countingsOf(data?.rules ?? []))
  const rows = all.filter(({ ip, name, group }) =>
    `${ip} ${name} ${group?.nickname ?? ''}`.toLowerCase().includes(wanted),
  )
  return (
    <Card title={t('settings.clients')} note={t('counting.cardNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <AddAddress
          label={t('counting.add')}
          action={t('counting.addAction')}
          known={[]}
          isBusy={adding.isBusy}
          onAdd={(ips) => adding.add(ips, mode)}
        >
          <Choice
            label={t('counting.title')}
            value={mode}
            options={optionsOf(modes, (value) => t(`counting.mode.${value}`))}
            onChange={setMode}
          />
        </AddAddress>
      )}
      <p className="mt-2 text-small text-dim">
        {t(mode === 'hide' ? 'counting.hideNote' : 'counting.excludeNote')}
      </p>
      {data !== undefined && all.length > 0 && (
        <>
          <div role="search" className="mt-4 mb-2 flex">
            <SearchField label={t('clients.search')} value={text} onChange={setText} />
          </div>
          <div className="-mx-[18px] -mb-[18px] border-t border-line">
            <DataList
              label={t('settings.clients')}
              columns={columnsOf(groups)}
              rows={rows}
              rowKey={({ ip }) => ip}
              onOpen={({ ip }) => void navigate({ to: '/clients/$ip', params: { ip } })}
            />
          </div>
        </>
      )}
    </Card>
  )
}
