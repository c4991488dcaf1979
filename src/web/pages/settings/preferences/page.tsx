import { useQueryClient } from '@tanstack/react-query'
import {
  useGuestDefaults,
  useGuestRate,
  usePreferences,
  useSystemRate,
  type UserPreferences,
} from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useConfig, useIsAccount, useStatus } from '../../../api/queries.ts'
import {
  allowedFormats,
  effectiveRate,
  readRate,
  type ClockFlags,
} from '../../../app/preferences.ts'
import { storePreference } from '../../../app/preference-sync.ts'
import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { clockText } from '../../../format/times.ts'
import { chooseLocale, languageNames, locale, locales, t } from '../../../locales/translate.ts'
import { Choice } from '../../../components/choice.tsx'
import { ClockChoice, rateOptions } from '../preference-controls.tsx'
import { rateLabels } from '../preference-labels.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useSave } from '../../../app/use-save.ts'

const flags = [
  ['prefs.sharp', 'sharpCorners', false],
  ['prefs.outlines', 'disableFocusOutlines', true],
  ['prefs.tooltips', 'disableTooltips', true],
] as const
type Flag = (typeof flags)[number][1]

/** The user's own dashboard preferences. Everything is saved and applied immediately. */
export function Page() {
  const { data, error } = usePreferences()
  return (
    <SettingsPage title={t('settings.preferences')}>
      <Look held={data} />
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && <Times held={data} />}
    </SettingsPage>
  )
}

/** Shows the new value immediately, then refetches. */
function useOwnPreference() {
  const queries = useQueryClient()
  const sessionId = useStatus().data?.sessionId ?? ''
  const { save, isBusy } = useSave({ stale: [keys.preferences] })
  const show = (part: Partial<UserPreferences>) =>
    queries.setQueryData<UserPreferences>([...keys.preferences, sessionId], (held) =>
      held === undefined ? undefined : { ...held, ...part },
    )
  return { save, isBusy, show }
}

function Look({ held }: { held: UserPreferences | undefined }) {
  const { save, isBusy, show } = useOwnPreference()
  const setFlag = (key: Flag, value: boolean) => {
    show({ [key]: value })
    save({ run: () => storePreference(key, value) })
  }
  return (
    <Card title={t('prefs.look')}>
      <Setting id="prefs.language">
        <Segments
          value={locale()}
          options={locales.map((value) => ({ value, label: languageNames[value] }))}
          onChange={chooseLocale}
        />
      </Setting>
      {flags.map(([id, key, isInverse]) => {
        const isSet = held?.[key] ?? false
        return (
          <Setting key={id} id={id}>
            <Switch
              isOn={isSet !== isInverse}
              disabled={isBusy || held === undefined}
              onChange={(isOn) => setFlag(key, isOn !== isInverse)}
            />
          </Setting>
        )
      })}
    </Card>
  )
}

function Times({ held }: { held: UserPreferences }) {
  const { save, isBusy, show } = useOwnPreference()
  const status = useStatus().data
  const zone = useConfig().data?.timeZone ?? ''
  const guestDefaults = useGuestDefaults().data ?? null
  const now = useNow(1000)
  const isGuest = status?.sessionType === 'guest'
  const formats = allowedFormats(
    held.allowedTimeFormats,
    guestDefaults?.allowedTimeFormats ?? null,
    isGuest,
  )
  const setClock = (flags: ClockFlags) => {
    show(flags)
    save({ run: () => unwrap(api['user-preferences'].clock.patch(flags)) })
  }
  return (
    <Card title={t('prefs.times')}>
      <Setting
        id="prefs.clock"
        state={t('prefs.clockNow', { time: clockText(now), zone: zone === '' ? '–' : zone })}
      >
        <ClockChoice flags={held} formats={formats} disabled={isBusy} onChange={setClock} />
      </Setting>
      <Rate held={held} />
    </Card>
  )
}

function Rate({ held }: { held: UserPreferences }) {
  const { save, isBusy, show } = useOwnPreference()
  const queries = useQueryClient()
  const status = useStatus().data
  const isAccount = useIsAccount()
  const isGuest = status?.sessionType === 'guest'
  const guest = useGuestRate().data ?? null
  const system = useSystemRate().data?.refreshRate ?? null
  const { rate, isLocked } = effectiveRate({ preferences: held, isGuest, system, guest })
  const hostRate = readRate(isGuest ? guest?.refreshRate : system) ?? 'STANDARD'
  const sessionId = status?.sessionId ?? ''
  const setRate = (refreshRate: string | null) => {
    show({ refreshRate })
    save({
      run: () => unwrap(api.sessions({ id: sessionId })['refresh-rate'].patch({ refreshRate })),
    })
  }
  const setHostRate = (refreshRate: string) =>
    save({
      run: () => unwrap(api.system['refresh-rate'].patch({ refreshRate })),
      done: t('prefs.saved'),
      after: () => void queries.invalidateQueries({ queryKey: keys.systemRate }),
    })
  return (
    <>
      <Setting
        id="prefs.rate"
        state={isLocked ? t('prefs.rateLocked', { rate: t(rateLabels[rate]) }) : undefined}
      >
        <Choice
          value={isLocked ? '' : (held.refreshRate ?? '')}
          options={[
            { value: '', label: t('prefs.rateAs', { rate: t(rateLabels[hostRate]) }) },
            ...rateOptions(),
          ]}
          disabled={isBusy || isLocked}
          onChange={(next) => setRate(next === '' ? null : next)}
        />
      </Setting>
      {isAccount && system !== null && (
        <Setting id="prefs.hostRate">
          <Choice value={system} options={rateOptions()} disabled={isBusy} onChange={setHostRate} />
        </Setting>
      )}
    </>
  )
}
