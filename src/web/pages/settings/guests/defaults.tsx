import { useGuestDefaults, useGuestRate } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import type { ClockFlags } from '../../../app/preferences.ts'
import { Card } from '../../../components/card.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { t } from '../../../locales/translate.ts'
import { Choice } from '../../../components/choice.tsx'
import { AllowedFormats, ClockChoice, rateOptions } from '../preference-controls.tsx'
import { useSave } from '../../../app/use-save.ts'

type GuestRate = NonNullable<ReturnType<typeof useGuestRate>['data']>
type GuestDefaults = NonNullable<ReturnType<typeof useGuestDefaults>['data']>

const preferences = api.system['default-guest-preferences']
const flags = [
  ['guests.sharp', 'sharpCorners', false],
  ['guests.tooltips', 'disableTooltips', true],
] as const

/** Dashboard preferences of new guests. */
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
  const { save, change, isBusy } = useSave({ stale: [keys.guests] })
  const setRate = (refreshRate: string) =>
    unwrap(api.system['default-guest-refresh-rate'].patch({ refreshRate }))
  const setLock = (locked: boolean) =>
    unwrap(api.system['guest-refresh-rate-lock'].patch({ locked }))
  return (
    <>
      <Setting id="guests.rate">
        <Choice
          value={held.refreshRate}
          options={rateOptions()}
          disabled={isBusy}
          onChange={(next) => change(setRate, [next, held.refreshRate])}
        />
      </Setting>
      <Setting id="guests.rateLock">
        <Switch
          isOn={held.locked}
          disabled={isBusy}
          onChange={(locked) => save({ run: () => setLock(locked) })}
        />
      </Setting>
    </>
  )
}

function Clock({ held }: { held: GuestDefaults }) {
  const { change, isBusy } = useSave({ stale: [keys.guests] })
  const { useUtcTimezone, useLocalTimezone, use24HourFormat, allowedTimeFormats: allowed } = held
  const clock: ClockFlags = { useUtcTimezone, useLocalTimezone, use24HourFormat }
  const setClock = (next: ClockFlags) => unwrap(preferences.clock.patch(next))
  const setFormats = (formats: string[]) =>
    unwrap(preferences['allowed-time-formats'].patch({ formats }))
  return (
    <>
      <Setting id="guests.clock">
        <ClockChoice
          flags={clock}
          disabled={isBusy}
          onChange={(next) => change(setClock, [next, clock])}
        />
      </Setting>
      <Setting id="guests.formats">
        <AllowedFormats
          allowed={allowed}
          disabled={isBusy}
          onChange={(next) => change(setFormats, [next, allowed])}
        />
      </Setting>
    </>
  )
}

function Flags({ held }: { held: GuestDefaults }) {
  const { save, isBusy } = useSave({ stale: [keys.guests] })
  return flags.map(([id, key, isInverse]) => (
    <Setting key={id} id={id}>
      <Switch
        isOn={held[key] !== isInverse}
        disabled={isBusy}
        onChange={(isOn) =>
          save({ run: () => unwrap(preferences({ key }).patch({ value: isOn !== isInverse })) })
        }
      />
    </Setting>
  ))
}
