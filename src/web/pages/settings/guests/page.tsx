import {
  useGuestConfig,
  useGuestDuration,
  useGuestTheme,
  useThemes,
} from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { Button } from '../../../components/button.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { Choice, numberOptions } from '../../../components/choice.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { themeOptions } from '../themes/theme-options.ts'
import { useSave } from '../../../app/use-save.ts'
import { GuestDashboard } from './defaults.tsx'
import { GuestPrefillCard } from './prefill.tsx'

/** Selectable hours; the server accepts any whole number from 1 to 720. */
const durations = [1, 2, 3, 6, 12, 24, 48, 72, 168]

/** Guest access: whether it is open, for how long, and with which preferences. */
export function Page() {
  return (
    <SettingsPage title={t('settings.guests')}>
      <EntryCard />
      <GuestDashboard />
      <GuestPrefillCard />
    </SettingsPage>
  )
}

function EntryCard() {
  const { data, error } = useGuestConfig()
  const { save, isBusy } = useSave({ stale: [keys.guests, keys.status] })
  const setLock = (isLocked: boolean) => unwrap(api.auth.guest.config.lock.post({ isLocked }))
  const isLocked = data?.isLocked === true
  return (
    <Card title={t('guests.entry')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <Setting id="guests.access">
          <Switch
            isOn={!isLocked}
            disabled={isBusy}
            onChange={(isOn) =>
              save({
                run: () => setLock(!isOn),
                done: t(isOn ? 'guests.wasOpened' : 'guests.wasLocked'),
                undo: () => setLock(isOn),
              })
            }
          />
        </Setting>
      )}
      <Duration />
      <Theme />
    </Card>
  )
}

function Duration() {
  const { data } = useGuestDuration()
  const { change: store, isBusy } = useSave({ stale: [keys.guests, keys.status] })
  if (data === undefined) return null
  const { durationHours, source, envVarValue } = data
  const isSet = source === 'ui'
  const set = (hours: number | null) =>
    unwrap(api.auth.guest.config.duration.post({ durationHours: hours }))
  const change = (hours: number | null) =>
    store(set, [hours, isSet ? durationHours : null], t('guests.durationSaved'))
  return (
    <Setting id="guests.duration" standard={tn('guests.hours', envVarValue)}>
      <Choice
        value={String(durationHours)}
        options={numberOptions(durations, durationHours, (count) => tn('guests.hours', count))}
        disabled={isBusy}
        onChange={(value) => change(Number(value))}
      />
      {isSet && (
        <Button disabled={isBusy} onClick={() => change(null)}>
          {t('guests.reset')}
        </Button>
      )}
    </Setting>
  )
}

function Theme() {
  const { data } = useGuestTheme()
  const uploaded = useThemes().data ?? []
  const { change, isBusy } = useSave({ stale: [keys.guests] })
  if (data === undefined) return null
  const set = (themeId: string) => unwrap(api.themes.preferences.guest.put({ themeId }))
  return (
    <Setting id="guests.theme">
      <Choice
        value={data.themeId}
        options={themeOptions(uploaded)}
        disabled={isBusy}
        onChange={(themeId) => change(set, [themeId, data.themeId])}
      />
    </Setting>
  )
}
