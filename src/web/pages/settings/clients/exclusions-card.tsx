import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import {
  useExclusions,
  type ClientExclusionRule,
  type ClientGroup,
} from '../../../api/client-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { t } from '../../../locales/translate.ts'
import {
  standingLabels,
  standings,
  reverted,
  type Standing,
} from '../../../app/clients/standing.ts'
import { useStanding } from '../../../app/clients/use-standing.ts'
import { Choice } from '../../../components/choice.tsx'
import { useSave } from '../../../app/use-save.ts'
import { AddAddress, type KnownClient } from './add-address.tsx'

interface ExclusionsCardProps {
  known: readonly KnownClient[]
  groups: readonly ClientGroup[]
  nameOf: (ip: string) => string | null
}

type Change = (ip: string, standing: Standing) => void
const modes = ['exclude', 'hide'] as const

interface RowContext extends Pick<ExclusionsCardProps, 'groups' | 'nameOf'> {
  isBusy: boolean
  change: Change
}

function columnsOf({ groups, nameOf, isBusy, change }: RowContext): Column<ClientExclusionRule>[] {
  return [
    {
      header: t('column.client'),
      width: 'minmax(0,1fr)',
      cell: ({ ip }) => {
        const name = nameOf(ip)
        const group = groups.find(({ memberIps }) => memberIps.includes(ip))
        const notes = [name === null ? null : ip, group?.nickname].filter(Boolean)
        return (
          <>
            <span className="figure block truncate font-medium">{name ?? ip}</span>
            <span className="block truncate text-small text-dim">{notes.join(' · ')}</span>
          </>
        )
      },
    },
    {
      header: t('standing.title'),
      width: '142px',
      cell: ({ ip, mode }) => (
        <Choice<Standing>
          label={t('standing.of', { name: nameOf(ip) ?? ip })}
          value={mode}
          options={standings.map((value) => ({ value, label: t(standingLabels[value]) }))}
          disabled={isBusy}
          onChange={(next) => change(ip, next)}
        />
      ),
    },
    {
      id: 'remove',
      header: '',
      width: '34px',
      cell: ({ ip }) => (
        <button
          type="button"
          className="rounded-control p-2 text-dim hover:text-text"
          aria-label={t('standing.remove', { name: nameOf(ip) ?? ip })}
          disabled={isBusy}
          onClick={() => change(ip, 'counted')}
        >
          <X size={15} />
        </button>
      ),
    },
  ]
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
      done: t('standing.added', { ips: ips.join(', ') }),
      undo: async () => write(reverted(before, after, await read())),
    })
  }
  return { add, isBusy }
}

/** Clients excluded from statistics: prefill machines, test rigs, people who opted out. */
export function ExclusionsCard({ known, groups, nameOf }: ExclusionsCardProps) {
  const navigate = useNavigate()
  const { data, error } = useExclusions()
  const standing = useStanding()
  const adding = useAddRules()
  const [mode, setMode] = useState<ClientExclusionRule['mode']>('exclude')
  const rules = data?.rules ?? []
  const isBusy = standing.isBusy || adding.isBusy
  const change: Change = (ip, next) => standing.change(ip, next, nameOf(ip) ?? ip)
  const others = known.filter(({ ip }) => rules.every((rule) => rule.ip !== ip))
  return (
    <Card title={t('standing.card')} note={t('standing.cardNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <AddAddress
          label={t('standing.add')}
          action={t('standing.addAction')}
          known={others}
          isBusy={isBusy}
          onAdd={(ips) => adding.add(ips, mode)}
        >
          <Choice
            label={t('standing.title')}
            value={mode}
            options={modes.map((value) => ({ value, label: t(standingLabels[value]) }))}
            onChange={setMode}
          />
        </AddAddress>
      )}
      <p className="mt-2 text-small text-dim">
        {t(mode === 'hide' ? 'standing.hideNote' : 'standing.excludeNote')}
      </p>
      {data !== undefined && rules.length === 0 && (
        <Notice title={t('standing.none')} className="py-6">
          {t('standing.noneText')}
        </Notice>
      )}
      {rules.length > 0 && (
        <div className="-mx-[18px] mt-3 -mb-[18px] border-t border-line">
          <DataList
            label={t('standing.card')}
            columns={columnsOf({ groups, nameOf, isBusy, change })}
            rows={rules}
            rowKey={({ ip }) => ip}
            onOpen={({ ip }) => void navigate({ to: '/clients/$ip', params: { ip } })}
          />
        </div>
      )}
    </Card>
  )
}
