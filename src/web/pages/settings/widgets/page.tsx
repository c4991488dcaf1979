import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { MqttCard } from './mqtt-card.tsx'
import { PreviewCard } from './preview-card.tsx'
import { TokensCard } from './tokens-card.tsx'

/** Figures for other programs: tokens of widgets, their addresses, and MQTT. */
export function Page() {
  return (
    <SettingsPage title={t('settings.widgets')}>
      <TokensCard />
      <PreviewCard />
      <MqttCard />
    </SettingsPage>
  )
}
