import { useOpen } from '../../../app/use-address.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import {
  useClientGroups,
  useHostnames,
  type ClientGroup,
  useHostnameSwitches,
} from '../../../api/client-queries.ts'
import { isName } from '../../../app/clients/draft.ts'
import { Button, Field, verbatim, Form } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending, StateLine } from '../../../components/card.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ClientsCard } from './clients-card.tsx'
import { useHostOf } from './add-address.tsx'
import { GroupPanel } from './group-panel.tsx'
import { QueryLogCard } from './query-log-card.tsx'
import { useMutation } from '@tanstack/react-query'
import { api, unwrap, keys } from '../../../api/client.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { SwitchSetting } from '../../../components/setting-controls.tsx'

/** Host names, groups and exclusions of clients. */
export function Page() {
  const { show } = useOpen()
  return (
    <SettingsPage
      title={t('settings.clients')}
      tools={
        <Button onClick={() => show('new')}>
          <Plus size={15} />
          {t('group.create')}
        </Button>
      }
    >
      <GroupsCard />
      <ClientsCard />
      <NamesCard />
      <QueryLogCard />
    </SettingsPage>
  )
}

/** Members listed by name; the rest are counted. */
const namedMax = 3

function columnsOf(nameOf: (ip: string) => string | null): Column<ClientGroup>[] {
  return [
    {
      header: t('group.nickname'),
      width: 'minmax(0,1.2fr)',
      cell: ({ nickname, description }) => (
        <>
          <span className="block truncate font-medium">{nickname}</span>
          {description !== null && (
            <span className="block truncate text-small text-dim">{description}</span>
          )}
        </>
      ),
    },
    {
      header: t('group.members'),
      width: 'minmax(0,1.6fr)',
      cell: ({ memberIps }) => (
        <>
          <span className="block truncate">{tn('count.addresses', memberIps.length)}</span>
          <span className="block truncate text-small text-dim">
            {memberIps
              .slice(0, namedMax)
              .map((ip) => nameOf(ip) ?? ip)
              .join(', ')}
            {memberIps.length > namedMax && ' …'}
          </span>
        </>
      ),
    },
    {
      header: t('group.rows'),
      width: '120px',
      from: 'md',
      cell: ({ separateMemberRows }) => (
        <span className="text-dim">
          {t(separateMemberRows ? 'group.separate' : 'group.together')}
        </span>
      ),
    },
  ]
}

/** Groups give several addresses one name: a household, a person with several machines. */
function GroupsCard() {
  const { open, show } = useOpen()
  const { data: groups, error } = useClientGroups()
  const nameOf = useHostOf()
  const [rejected, setRejected] = useState<readonly string[]>([])
  // Until the list is refetched.
  const [created, setCreated] = useState<ClientGroup | null>(null)
  const shown = groups?.find(({ id }) => String(id) === open) ?? null
  const isCreated = created !== null && String(created.id) === open
  const close = () => {
    setRejected([])
    show(undefined)
  }
  const shownGroups = groups?.filter((group) => !isName(group))
  return (
    <Card title={t('group.title')} note={t('group.titleNote')}>
      {groups === undefined && <Pending error={error} rows={3} />}
      {shownGroups?.length === 0 && (
        <Notice title={t('group.none')} className="py-6">
          <p className="mb-3">{t('group.noneText')}</p>
          <Button onClick={() => show('new')}>{t('group.create')}</Button>
        </Notice>
      )}
      {shownGroups !== undefined && shownGroups.length > 0 && (
        <div className="-mx-[18px] -mb-[18px]">
          <DataList
            label={t('group.title')}
            columns={columnsOf(nameOf)}
            rows={shownGroups}
            rowKey={({ id }) => String(id)}
            onOpen={({ id }) => show(String(id))}
          />
        </div>
      )}
      <SidePanel
        isInAddress
        title={open === 'new' ? t('group.create') : (shown?.nickname ?? t('group.one'))}
        isOpen={open !== undefined && groups !== undefined}
        onClose={close}
      >
        <GroupPanel
          key={open}
          isNew={open === 'new'}
          group={shown ?? (isCreated ? created : null)}
          rejected={rejected}
          onRejected={setRejected}
          onSaved={({ group, rejectedIps }) => {
            setCreated(group)
            if (rejectedIps.length > 0) show(String(group.id))
            else close()
          }}
          onClose={close}
        />
      </SidePanel>
    </Card>
  )
}

interface Switches {
  enabled: boolean
  showToGuests: boolean
}

const write = (switches: Switches) => unwrap(api.clients.hostnames.enabled.post(switches))

/** Whether host names are looked up, who sees them, and why some are missing. */
function NamesCard() {
  const { data, error } = useHostnameSwitches()
  const common = { saved: () => t('names.saved') }
  return (
    <Card
      stale={[keys.hostnames, ...keys.reports]}
      title={t('names.title')}
      note={t('names.titleNote')}
    >
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <SwitchSetting
            id="names.look"
            state={data.enabled && <NamesState />}
            value={data.enabled}
            write={(enabled) => write({ ...data, enabled })}
            {...common}
          />
          <SwitchSetting
            id="names.guests"
            value={data.showToGuests}
            write={(showToGuests) => write({ ...data, showToGuests })}
            disabled={!data.enabled}
            {...common}
          />
        </>
      )}
      <Lookup />
    </Card>
  )
}

function NamesState() {
  const { data, isFetching } = useHostnames()
  if (data === undefined || !data.enabled || (isFetching && data.reason === 'stillLooking')) {
    return <StateLine tone="quiet">{t('names.reason.stillLooking')}</StateLine>
  }
  const found = Object.keys(data.hostnames).length
  const isWell = data.reason === 'none' || data.reason === 'someUnnamed'
  return (
    <StateLine tone={isWell ? 'good' : 'attention'}>
      {tn('names.found', found)} {t(`names.reason.${data.reason}`)}
    </StateLine>
  )
}

/** Looks up a name's addresses on this network. */
function Lookup() {
  const [name, setName] = useState('')
  const lookup = useMutation({
    mutationFn: (hostname: string) => unwrap(api.clients.hostnames.resolve.post({ hostname })),
  })
  const submit = () => lookup.mutate(name)
  const { data, error, isPending } = lookup
  return (
    <Form onSubmit={submit} className="pt-3">
      <div className="flex items-end gap-2">
        <div className="min-w-0 max-w-[320px] flex-1">
          <Field
            label={t('resolve.label')}
            placeholder={t('resolve.placeholder')}
            {...verbatim}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button
          type="submit"
          className="mb-1.5 h-[38px]"
          disabled={isPending || name.trim() === ''}
        >
          {t('resolve.action')}
        </Button>
      </div>
      <div role="status" className="text-small">
        {error !== null && <p className="text-bad">{refusalText(error)}</p>}
        {data !== undefined && data.addresses.length > 0 && (
          <p>
            <span className="text-dim">{data.hostname}: </span>
            <span className="figure">{data.addresses.join(', ')}</span>
          </p>
        )}
        {data !== undefined && data.addresses.length === 0 && (
          <StateLine tone="quiet">
            {data.hostname}: {t(`resolve.reason.${data.reason}`)}
          </StateLine>
        )}
      </div>
    </Form>
  )
}
