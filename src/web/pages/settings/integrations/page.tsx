import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { DepotsCard } from './depots-card.tsx'

/** Outside services that name downloads. */
export function Page() {
  return (
    <SettingsPage title={t('settings.integrations')}>
      <DepotsCard />
    </SettingsPage>
  )
}
