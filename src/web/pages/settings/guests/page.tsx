import {
  platformFacts,
  platforms,
  type Platform as PlatformKey,
} from '../../../../platforms/platforms.ts'
import {
  guestPrefillOf,
  useGuestConfig,
  useGuestDefaults,
  useGuestDuration,
  useGuestPrefill,
  useGuestRate,
  useGuestTheme,
  useThemes,
  type GuestPrefill,
} from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import {
  clockFlagsOf,
  timeFormatOf,
  timeFormats,
  type ClockFlags,
} from '../../../app/preferences.ts'
import { Button, Choice, numberOptions, optionsOf } from '../../../components/form-controls.tsx'
import { Card, Pending, useSaving, Row } from '../../../components/card.tsx'
import {
  ChoiceSetting,
  SwitchSetting,
  Setting,
  SavedSwitch,
  SavedChoice,
} from '../../../components/setting-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { AllowedFormats, clockOptions, rateOptions } from '../preference-controls.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { themeOptions } from '../themes/theme-options.ts'

/** Selectable hours; the server accepts any whole number from 1 to 720. */
const durations = [1, 2, 3, 6, 12, 24, 48, 72, 168]
/** Hours and connections of a prefill that guests can have. */
const prefillHours = [1, 2, 3]
const threads = [null, 1, 2, 4, 8, 16, 32, 64, 128, 256]

const hoursText = (count: number) => tn('guests.hours', count)
const threadsText = (count: number | null) =>
  count === null ? t('guests.threadsAny') : tn('guests.threads', count)

/** Guest access: whether it is open, for how long, and with which preferences. */
export const Page = () => (
  <SettingsPage title={t('settings.guests')}>
    <EntryCard />
    <PreferencesCard />
    <PrefillCard />
  </SettingsPage>
)

function EntryCard() {
  const { data, error } = useGuestConfig()
  const theme = useGuestTheme().data
  const uploaded = useThemes().data ?? []
  return (
    <Card stale={[keys.guests, keys.status]} title={t('guests.entry')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <SwitchSetting
          id="guests.access"
          value={!data.isLocked}
          write={(isOpen) => unwrap(api.auth.guest.config.lock.post({ isLocked: !isOpen }))}
          saved={(isOpen) => t(isOpen ? 'guests.wasOpened' : 'guests.wasLocked')}
        />
      )}
      <Duration />
      {theme !== undefined && (
        <ChoiceSetting
          id="guests.theme"
          value={theme.themeId}
          options={themeOptions(uploaded)}
          write={(themeId) => unwrap(api.themes.preferences.guest.put({ themeId }))}
        />
      )}
    </Card>
  )
}

function Duration() {
  const saving = useSaving()
  const { data } = useGuestDuration()
  if (data === undefined) return null
  const { durationHours, source, envVarValue } = data
  const isSet = source === 'ui'
  const set = (hours: number | null) =>
    unwrap(api.auth.guest.config.duration.post({ durationHours: hours }))
  const change = (hours: number | null) =>
    saving.change(set, [hours, isSet ? durationHours : null], t('guests.durationSaved'))
  return (
    <Setting
      id="guests.duration"
      value={hoursText(durationHours)}
      standard={hoursText(envVarValue)}
    >
      <Choice
        value={durationHours}
        options={numberOptions(durations, durationHours, hoursText)}
        disabled={saving.isBusy}
        onChange={change}
      />
      {isSet && (
        <Button disabled={saving.isBusy} onClick={() => change(null)}>
          {t('guests.reset')}
        </Button>
      )}
    </Setting>
  )
}

/** Dashboard preferences of new guests. */
function PreferencesCard() {
  const rate = useGuestRate().data ?? null
  const defaults = useGuestDefaults().data ?? null
  if (rate === null && defaults === null) return null
  return (
    <Card title={t('guests.dashboard')} note={t('guests.newOnly')} stale={[keys.guests]}>
      {rate !== null && <Rate held={rate} />}
      {defaults !== null && <Defaults held={defaults} />}
    </Card>
  )
}

function Rate({ held }: { held: NonNullable<ReturnType<typeof useGuestRate>['data']> }) {
  const { system } = api
  return (
    <>
      <ChoiceSetting
        id="guests.rate"
        value={held.refreshRate}
        options={rateOptions()}
        write={(refreshRate) => unwrap(system['default-guest-refresh-rate'].patch({ refreshRate }))}
      />
      <SwitchSetting
        id="guests.rateLock"
        value={held.locked}
        write={(locked) => unwrap(system['guest-refresh-rate-lock'].patch({ locked }))}
      />
    </>
  )
}

const preferences = api.system['default-guest-preferences']
const flags = [
  ['guests.sharp', 'sharpCorners', false],
  ['guests.tooltips', 'disableTooltips', true],
] as const

function Defaults({ held }: { held: NonNullable<ReturnType<typeof useGuestDefaults>['data']> }) {
  const saving = useSaving()
  const { useUtcTimezone, useLocalTimezone, use24HourFormat, allowedTimeFormats } = held
  const clock: ClockFlags = { useUtcTimezone, useLocalTimezone, use24HourFormat }
  const setFormats = (formats: string[]) =>
    unwrap(preferences['allowed-time-formats'].patch({ formats }))
  const isEvery = allowedTimeFormats.length === timeFormats.length
  return (
    <>
      <ChoiceSetting
        id="guests.clock"
        value={timeFormatOf(clock)}
        options={clockOptions()}
        write={(format) => unwrap(preferences.clock.patch(clockFlagsOf(format)))}
      />
      <Setting id="guests.formats" {...(isEvery && { value: t('controls.allClocks') })}>
        <AllowedFormats
          allowed={allowedTimeFormats}
          disabled={saving.isBusy}
          onChange={(next) => saving.change(setFormats, [next, allowedTimeFormats])}
        />
      </Setting>
      {flags.map(([id, key, isInverse]) => (
        <SwitchSetting
          key={id}
          id={id}
          value={held[key] !== isInverse}
          write={(isOn) => unwrap(preferences({ key }).patch({ value: isOn !== isInverse }))}
        />
      ))}
    </>
  )
}

/** Platforms that new guests may prefill, and for how long. */
function PrefillCard() {
  const { data, error } = useGuestPrefill()
  return (
    <Card title={t('guests.prefill')} note={t('guests.prefillNote')}>
      {data === undefined && <Pending error={error} rows={3} />}
      <Setting id="guests.mayPrefill" standard={null} />
      {data !== undefined &&
        platforms.map((platform) => (
          <Platform key={platform} platform={platform} held={data[platform]} />
        ))}
    </Card>
  )
}

function post(platform: PlatformKey, body: GuestPrefill): Promise<unknown> {
  return platform === 'alpha'
    ? unwrap(api.auth.guest.prefill.config.post(body))
    : unwrap(guestPrefillOf(platform).post(body))
}

function Platform({ platform, held }: { platform: PlatformKey; held: GuestPrefill }) {
  const name = platformFacts[platform].title
  const body: GuestPrefill =
    held.maxThreadCount === undefined
      ? { enabledByDefault: held.enabledByDefault, durationHours: held.durationHours }
      : { ...held, maxThreadCount: held.maxThreadCount }
  const put = (part: Partial<GuestPrefill>) => post(platform, { ...body, ...part })
  return (
    <Row
      isEntry
      stale={[keys.guests, keys.sessions]}
      title={name}
      note={
        <>
          {held.enabledByDefault
            ? tn('guests.prefillOn', held.durationHours)
            : t('guests.prefillOff')}
          <span className="mt-2 flex flex-wrap gap-2 text-text">
            <SavedChoice
              label={t('guests.hoursOf', { name })}
              value={held.durationHours}
              options={optionsOf(prefillHours, hoursText)}
              write={(durationHours) => put({ durationHours })}
            />
            {held.maxThreadCount !== undefined && (
              <SavedChoice
                label={t('guests.threadsOf', { name })}
                value={held.maxThreadCount}
                options={optionsOf(threads, threadsText)}
                write={(maxThreadCount) => put({ maxThreadCount })}
              />
            )}
          </span>
        </>
      }
    >
      <SavedSwitch
        label={t('guests.prefillOf', { name })}
        value={held.enabledByDefault}
        write={(enabledByDefault) => put({ enabledByDefault })}
      />
    </Row>
  )
}
