import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useNotifications } from './queries.ts'
import { QuietCard } from './quiet-card.tsx'
import { RulesCard } from './rules-card.tsx'
import { TargetForm } from './target-form.tsx'
import { TargetsCard } from './targets-card.tsx'

const route = getRouteApi('/settings/notifications')

/** Where notifications go, what they are about, and when they wait. */
export function Page() {
  const { open } = route.useSearch()
  const navigate = useNavigate()
  const { data, error } = useNotifications()
  const show = (id: string | undefined) =>
    void navigate({ to: '/settings/notifications', search: { open: id }, resetScroll: false })
  const isNew = open === 'new'
  const shown = data?.targets.find(({ id }) => id === open)
  const close = () => show(undefined)
  return (
    <SettingsPage
      title={t('settings.notifications')}
      tools={
        <Button onClick={() => show('new')}>
          <Plus size={15} />
          {t('notify.add')}
        </Button>
      }
    >
      {data === undefined && (
        <div className="card">
          <Pending isList error={error} rows={5} />
        </div>
      )}
      {data !== undefined && (
        <>
          <TargetsCard targets={data.targets} onOpen={show} />
          <RulesCard {...data} />
          <QuietCard {...data} />
        </>
      )}
      <SidePanel
        title={isNew ? t('notify.add') : (shown?.name ?? t('settings.notifications'))}
        isOpen={open !== undefined && (isNew || data !== undefined)}
        onClose={close}
      >
        {isNew && <TargetForm key="new" target={null} onDone={close} />}
        {!isNew && shown !== undefined && (
          <TargetForm key={shown.id} target={shown} onDone={close} />
        )}
        {!isNew && shown === undefined && <Notice title={t('notify.gone')} />}
      </SidePanel>
    </SettingsPage>
  )
}
