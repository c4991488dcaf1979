import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { useAddresses, useClientGroups, useHostnames } from '../../../api/client-queries.ts'
import { t } from '../../../locales/translate.ts'
import { shortName } from '../../../app/clients/tree.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ExclusionsCard } from './exclusions-card.tsx'
import { GroupsCard } from './groups-card.tsx'
import { NamesCard } from './names-card.tsx'

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
      <ExclusionsCard known={known} groups={groups ?? []} nameOf={hostOf} />
      <NamesCard />
    </SettingsPage>
  )
}
