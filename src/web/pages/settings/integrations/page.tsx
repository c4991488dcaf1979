import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { BetaCard } from './beta.tsx'
import { DepotsCard } from './depots-card.tsx'
import { EpsilonCard } from './epsilon.tsx'
import { NamesCard } from './names-card.tsx'

/** Outside services that name downloads. */
export function Page() {
  return (
    <SettingsPage title={t('settings.integrations')}>
      <DepotsCard />
      <BetaCard />
      <EpsilonCard />
      <NamesCard />
    </SettingsPage>
  )
}
