import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useAddresses, useClientGroups, useHostnames } from '../../../api/client-queries.ts'
import { t } from '../../../locales/translate.ts'
import { shortName } from '../../clients/tree.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ExclusionsCard } from './exclusions-card.tsx'
import { GroupsCard } from './groups-card.tsx'
import { NamesCard } from './names-card.tsx'

const route = getRouteApi('/settings/clients')
const seenIn = { span: '30d' } as const

/** What clients are called, which of them belong together, and which do not count. */
export function ClientSettingsPage() {
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
        <button type="button" className="control" onClick={() => show('new')}>
          <Plus size={15} aria-hidden="true" />
          {t('group.create')}
        </button>
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
      <ExclusionsCard known={known} groups={groups ?? []} nameOf={hostOf} />
      <NamesCard />
    </SettingsPage>
  )
}
