import { useQueryClient } from '@tanstack/react-query'
import {
  useGuestDefaults,
  useGuestRate,
  usePreferences,
  useSystemRate,
  type UserPreferences,
} from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useConfig, useIsAccount, useStatus, useSavings } from '../../../api/queries.ts'
import { storePreference } from '../../../app/preference-sync.ts'
import {
  allowedFormats,
  clockFlagsOf,
  effectiveRate,
  readRate,
  timeFormatOf,
} from '../../../app/preferences.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, Pending } from '../../../components/card.tsx'
import { Segments, optionsOf } from '../../../components/form-controls.tsx'
import {
  AmountSetting,
  ChoiceSetting,
  NumberSetting,
  SwitchSetting,
  Setting,
} from '../../../components/setting-controls.tsx'
import { clockText } from '../../../format/times.ts'
import {
  browserLocale,
  chooseLocale,
  languageNames,
  locale,
  locales,
  t,
  region,
} from '../../../locales/translate.ts'
import { clockOptions, rateOptions } from '../preference-controls.tsx'
import { SettingsPage } from '../settings-page.tsx'
import type { DataCap } from '../../../../dashboard/data-cap/model.ts'
import { useDataCap } from '../../../api/cache-queries.ts'
import { percentText } from '../../../format/numbers.ts'
import type { Savings } from '../../../../dashboard/savings/model.ts'

const flags = [
  ['prefs.sharp', 'sharpCorners', false],
  ['prefs.outlines', 'disableFocusOutlines', true],
  ['prefs.tooltips', 'disableTooltips', true],
] as const

/** The user's own dashboard preferences. Everything is saved and applied immediately. */
export function Page() {
  const { data, error } = usePreferences()
  const isAdmin = useStatus().data?.sessionType === 'admin'
  return (
    <SettingsPage title={t('settings.preferences')}>
      <Look held={data} />
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && <Times held={data} />}
      {isAdmin && <SavingsCard />}
      {isAdmin && <LineCard />}
    </SettingsPage>
  )
}

/** Shows the new value immediately, then refetches. */
function useShownPreference() {
  const queries = useQueryClient()
  const sessionId = useStatus().data?.sessionId ?? ''
  return (part: Partial<UserPreferences>) =>
    queries.setQueryData<UserPreferences>([...keys.preferences, sessionId], (held) =>
      held === undefined ? undefined : { ...held, ...part },
    )
}

const ownStale = [keys.preferences, keys.systemRate]

function Look({ held }: { held: UserPreferences | undefined }) {
  const show = useShownPreference()
  return (
    <Card title={t('prefs.look')} stale={ownStale}>
      <Setting
        id="prefs.language"
        {...(locale() === browserLocale() && { value: t('controls.browser') })}
      >
        <Segments
          value={locale()}
          options={optionsOf(locales, (value) => languageNames[value])}
          onChange={chooseLocale}
        />
      </Setting>
      {flags.map(([id, key, isInverse]) => (
        <SwitchSetting
          key={id}
          id={id}
          value={(held?.[key] ?? false) !== isInverse}
          write={(isOn) => {
            show({ [key]: isOn !== isInverse })
            return storePreference(key, isOn !== isInverse)
          }}
          disabled={held === undefined}
        />
      ))}
    </Card>
  )
}

function Times({ held }: { held: UserPreferences }) {
  const show = useShownPreference()
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
  return (
    <Card title={t('prefs.times')} stale={ownStale}>
      <ChoiceSetting
        id="prefs.clock"
        state={t('prefs.clockNow', { time: clockText(now), zone: zone === '' ? '–' : zone })}
        value={timeFormatOf(held)}
        options={clockOptions(formats)}
        write={(format) => {
          const clock = clockFlagsOf(format)
          show(clock)
          return unwrap(api['user-preferences'].clock.patch(clock))
        }}
      />
      <Rate held={held} />
    </Card>
  )
}

function Rate({ held }: { held: UserPreferences }) {
  const show = useShownPreference()
  const status = useStatus().data
  const isAccount = useIsAccount()
  const isGuest = status?.sessionType === 'guest'
  const guest = useGuestRate().data ?? null
  const system = useSystemRate().data?.refreshRate ?? null
  const { rate, isLocked } = effectiveRate({ preferences: held, isGuest, system, guest })
  const hostRate = readRate(isGuest ? guest?.refreshRate : system) ?? 'STANDARD'
  const own = api.sessions({ id: status?.sessionId ?? '' })['refresh-rate']
  return (
    <>
      <ChoiceSetting<string | null>
        id="prefs.rate"
        state={isLocked ? t('prefs.rateLocked', { rate: t(`rate.${rate}`) }) : undefined}
        value={isLocked ? null : held.refreshRate}
        standard={null}
        options={[
          { value: null, label: t('prefs.rateAs', { rate: t(`rate.${hostRate}`) }) },
          ...rateOptions(),
        ]}
        write={(refreshRate) => {
          show({ refreshRate })
          return unwrap(own.patch({ refreshRate }))
        }}
        disabled={isLocked}
      />
      {isAccount && system !== null && (
        <ChoiceSetting
          id="prefs.hostRate"
          value={system}
          options={rateOptions()}
          write={(refreshRate) => unwrap(api.system['refresh-rate'].patch({ refreshRate }))}
        />
      )}
    </>
  )
}

const gigabyte = 1e9
const marks = [null, 50, 60, 70, 75, 80, 85, 90, 95, 100]
const markText = (percent: number | null) =>
  percent === null ? t('controls.never') : percentText(percent)
const daysOfMonth = Array.from({ length: 31 }, (_, at) => at + 1)

/** The monthly volume of the line, and when prefill pauses; of the installation. */
function LineCard() {
  const { data, error } = useDataCap()
  if (data === undefined) return <Pending error={error} rows={3} />
  const { capBytes, firstDay, pausePercent } = data
  const put = (part: Partial<DataCap>) =>
    unwrap(api.ext['data-cap'].put({ capBytes, firstDay, pausePercent, ...part }))
  return (
    <Card stale={[keys.dataCap, keys.prefill]} title={t('line.title')}>
      <AmountSetting
        isDecimal
        id="line.volume"
        value={capBytes === null ? null : capBytes / gigabyte}
        unit="GB"
        range={[1, 1_000_000]}
        write={(volume) =>
          put({ capBytes: volume === null ? null : Math.round(volume * gigabyte) })
        }
      />
      <NumberSetting
        id="line.firstDay"
        value={firstDay}
        known={daysOfMonth}
        text={String}
        write={(day) => put({ firstDay: day })}
      />
      <ChoiceSetting
        id="line.pause"
        value={pausePercent}
        options={optionsOf(marks, (percent) => markText(percent))}
        write={(percent) => put({ pausePercent: percent })}
      />
    </Card>
  )
}

/** Line speed and price, with which the overview converts saved bytes; of the installation. */
function SavingsCard() {
  const { data, error } = useSavings()
  if (data === undefined) return <Pending error={error} rows={3} />
  const put = (part: Partial<Savings>) => unwrap(api.ext.savings.put({ ...data, ...part }))
  return (
    <Card stale={[keys.savings]} title={t('savings.title')}>
      <AmountSetting
        isDecimal
        id="savings.line"
        value={data.lineMbitPerSecond}
        unit="Mbit/s"
        range={[0.1, 1_000_000]}
        write={(lineMbitPerSecond) => put({ lineMbitPerSecond })}
      />
      <AmountSetting
        isDecimal
        id="savings.price"
        value={data.pricePerGb}
        unit={data.currency}
        range={[0.0001, 10_000]}
        write={(pricePerGb) => put({ pricePerGb })}
      />
      <ChoiceSetting
        id="savings.currency"
        value={data.currency}
        options={currencies()}
        write={(currency) => put({ currency })}
      />
    </Card>
  )
}

function currencies(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(region(), { type: 'currency' })
  return Intl.supportedValuesOf('currency').map((value) => {
    const name = names.of(value) ?? value
    return { value, label: name === value ? value : `${value} – ${name}` }
  })
}
