import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import {
  useAddresses,
  useClientGroups,
  useHostnames,
  type ClientGroup,
} from '../../../api/client-queries.ts'
import { isName } from '../../../app/clients/draft.ts'
import { shortName } from '../../../app/clients/tree.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import type { KnownClient } from './add-address.tsx'
import { ClientsCard } from './clients-card.tsx'
import { GroupPanel } from './group-panel.tsx'
import { NamesCard } from './names-card.tsx'
import { QueryLogCard } from './query-log-card.tsx'

const route = getRouteApi('/settings/clients')
const seenIn = { span: '30d' } as const

/** Host names, groups and exclusions of clients. */
export function Page() {
  const { open } = route.useSearch()
  const navigate = useNavigate()
  const { data: groups, error } = useClientGroups()
  const addresses = useAddresses(seenIn).data ?? []
  const hostnames = useHostnames().data?.hostnames ?? {}
  const hostOf = (ip: string) => shortName(hostnames[ip])
  const known = addresses.map(({ clientIp }) => ({ ip: clientIp, name: hostOf(clientIp) }))
  const show = (id: string | undefined) =>
    void navigate({ to: '/settings/clients', search: { open: id }, resetScroll: false })
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
      <GroupsCard
        groups={groups}
        error={error}
        known={known}
        nameOf={hostOf}
        open={open}
        onOpen={show}
      />
      <ClientsCard known={known} groups={groups ?? []} nameOf={hostOf} />
      <NamesCard />
      <QueryLogCard />
    </SettingsPage>
  )
}

interface GroupsCardProps {
  groups: readonly ClientGroup[] | undefined
  error: Error | null
  known: readonly KnownClient[]
  nameOf: (ip: string) => string | null
  /** Id of the group with the open panel, or `new`. */
  open: string | undefined
  onOpen: (id: string | undefined) => void
}

/** Members listed by name; the rest are counted. */
const namedMax = 3

function columnsOf(nameOf: GroupsCardProps['nameOf']): Column<ClientGroup>[] {
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
function GroupsCard({ groups, error, known, nameOf, open, onOpen }: GroupsCardProps) {
  const [rejected, setRejected] = useState<readonly string[]>([])
  // Until the list is refetched.
  const [created, setCreated] = useState<ClientGroup | null>(null)
  const shown = groups?.find(({ id }) => String(id) === open) ?? null
  const isCreated = created !== null && String(created.id) === open
  const close = () => {
    setRejected([])
    onOpen(undefined)
  }
  const shownGroups = groups?.filter((group) => !isName(group))
  const ungrouped = known.filter(({ ip }) =>
    (shownGroups ?? []).every(({ memberIps }) => !memberIps.includes(ip)),
  )
  return (
    <Card title={t('group.title')} note={t('group.titleNote')}>
      {groups === undefined && <Pending error={error} rows={3} />}
      {shownGroups?.length === 0 && (
        <Notice title={t('group.none')} className="py-6">
          <p className="mb-3">{t('group.noneText')}</p>
          <Button onClick={() => onOpen('new')}>{t('group.create')}</Button>
        </Notice>
      )}
      {shownGroups !== undefined && shownGroups.length > 0 && (
        <div className="-mx-[18px] -mb-[18px]">
          <DataList
            label={t('group.title')}
            columns={columnsOf(nameOf)}
            rows={shownGroups}
            rowKey={({ id }) => String(id)}
            onOpen={({ id }) => onOpen(String(id))}
          />
        </div>
      )}
      <SidePanel
        title={open === 'new' ? t('group.create') : (shown?.nickname ?? t('group.one'))}
        isOpen={open !== undefined && groups !== undefined}
        onClose={close}
      >
        <GroupPanel
          key={open}
          isNew={open === 'new'}
          group={shown ?? (isCreated ? created : null)}
          groups={groups ?? []}
          known={ungrouped}
          nameOf={nameOf}
          rejected={rejected}
          onRejected={setRejected}
          onSaved={({ group, rejectedIps }) => {
            setCreated(group)
            if (rejectedIps.length > 0) onOpen(String(group.id))
            else close()
          }}
          onClose={close}
        />
      </SidePanel>
    </Card>
  )
}
