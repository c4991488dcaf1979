import { useGuestDefaults, useGuestRate } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import {
  clockFlagsOf,
  refreshRateNames,
  timeFormatOf,
  timeFormats,
  type ClockFlags,
  type TimeFormat,
} from '../../../app/preferences.ts'
import { Card } from '../../../components/card.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { t } from '../../../locales/translate.ts'
import { Choice } from '../choice.tsx'
import { formatLabels, rateLabels } from '../preference-labels.ts'
import { useSave } from '../use-save.ts'

type GuestRate = NonNullable<ReturnType<typeof useGuestRate>['data']>
type GuestDefaults = NonNullable<ReturnType<typeof useGuestDefaults>['data']>

const preferences = api.system['default-guest-preferences']
const flags = ['sharpCorners', 'disableTooltips'] as const

/** What the dashboard of a new guest looks like. */
export function GuestDashboard() {
  const rate = useGuestRate().data ?? null
  const defaults = useGuestDefaults().data ?? null
  if (rate === null && defaults === null) return null
  return (
    <Card title={t('guests.dashboard')} note={t('guests.newOnly')}>
      {rate !== null && <Rate held={rate} />}
      {defaults !== null && <Clock held={defaults} />}
      {defaults !== null && <Flags held={defaults} />}
    </Card>
  )
}

function Rate({ held }: { held: GuestRate }) {
  const { save, isBusy } = useSave({ stale: [keys.guests] })
  const setRate = (refreshRate: string) =>
    unwrap(api.system['default-guest-refresh-rate'].patch({ refreshRate }))
  const setLock = (locked: boolean) =>
    unwrap(api.system['guest-refresh-rate-lock'].patch({ locked }))
  return (
    <>
      <Setting title={t('prefs.rate')} note={t('guests.rateNote')}>
        <Choice<string>
          label={t('prefs.rate')}
          value={held.refreshRate}
          options={refreshRateNames.map((value) => ({ value, label: t(rateLabels[value]) }))}
          disabled={isBusy}
          onChange={(next) =>
            save({
              run: () => setRate(next),
              done: t('prefs.saved'),
              undo: () => setRate(held.refreshRate),
            })
          }
        />
      </Setting>
      <Setting
        title={t('guests.rateLock')}
        note={t(held.locked ? 'guests.rateIsLocked' : 'guests.rateIsFree')}
      >
        <Switch
          label={t('guests.rateLock')}
          isOn={held.locked}
          disabled={isBusy}
          onChange={(locked) => save({ run: () => setLock(locked) })}
        />
      </Setting>
    </>
  )
}

function Clock({ held }: { held: GuestDefaults }) {
  const { save, isBusy } = useSave({ stale: [keys.guests] })
  const { useUtcTimezone, useLocalTimezone, use24HourFormat } = held
  const clock: ClockFlags = { useUtcTimezone, useLocalTimezone, use24HourFormat }
  const setClock = (next: ClockFlags) => unwrap(preferences.clock.patch(next))
  const setFormats = (formats: string[]) =>
    unwrap(preferences['allowed-time-formats'].patch({ formats }))
  const allowed = held.allowedTimeFormats
  return (
    <>
      <Setting title={t('prefs.clock')}>
        <Choice<TimeFormat>
          label={t('prefs.clock')}
          value={timeFormatOf(clock)}
          options={timeFormats.map((value) => ({ value, label: t(formatLabels[value]) }))}
          disabled={isBusy}
          onChange={(format) =>
            save({
              run: () => setClock(clockFlagsOf(format)),
              done: t('prefs.saved'),
              undo: () => setClock(clock),
            })
          }
        />
      </Setting>
      <Setting title={t('guests.formats')} note={t('guests.formatsNote')}>
        <div className="flex flex-wrap gap-x-4 gap-y-1.5">
          {timeFormats.map((format) => {
            const isOn = allowed.includes(format)
            // From what is held: the box shows that again before the saving starts.
            const next = isOn ? allowed.filter((known) => known !== format) : [...allowed, format]
            return (
              <label key={format} className="flex items-center gap-1.5 text-[13px]">
                <input
                  type="checkbox"
                  className="accent-cache"
                  checked={isOn}
                  // One format has to stay.
                  disabled={isBusy || (isOn && allowed.length === 1)}
                  onChange={() =>
                    save({
                      run: () => setFormats(next),
                      done: t('prefs.saved'),
                      undo: () => setFormats(allowed),
                    })
                  }
                />
                {t(formatLabels[format])}
              </label>
            )
          })}
        </div>
      </Setting>
    </>
  )
}

function Flags({ held }: { held: GuestDefaults }) {
  const { save, isBusy } = useSave({ stale: [keys.guests] })
  const texts = {
    sharpCorners: { label: t('prefs.sharp'), isInverse: false },
    disableTooltips: { label: t('prefs.tooltips'), isInverse: true },
  }
  return flags.map((key) => {
    const { label, isInverse } = texts[key]
    return (
      <Setting key={key} title={label}>
        <Switch
          label={label}
          isOn={held[key] !== isInverse}
          disabled={isBusy}
          onChange={(isOn) =>
            save({ run: () => unwrap(preferences({ key }).patch({ value: isOn !== isInverse })) })
          }
        />
      </Setting>
    )
  })
}
