import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Choice } from '../../../components/choice.tsx'
import { Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { CalendarEditor } from '../../../components/calendar/calendar-editor.tsx'
import type { Schedule } from '../../../app/schedule-queries.ts'

const modes: Record<Schedule['notificationMode'], Key> = {
  all: 'schedules.notifyAll',
  manual: 'schedules.notifyManual',
  silent: 'schedules.notifySilent',
}
const displays: Record<Schedule['notificationDisplayMode'], Key> = {
  full: 'schedules.displayFull',
  condensed: 'schedules.displayCondensed',
}

const optionsOf = <T extends string>(texts: Record<T, Key>) =>
  // The keys of a table are its values' names.
  (Object.keys(texts) as T[]).map((value) => ({ value, label: t(texts[value]) }))

/** Settings of each service. */
export const scheduleOptions = [
  'schedules.calendar',
  'schedules.runOnStartup',
  'schedules.notify',
] as const

/** Calendar, start and notifications of one service. */
export function Options({ schedule }: { schedule: Schedule }) {
  const { key, runOnStartup, notificationMode, notificationDisplayMode, defaults } = schedule
  const { change, isBusy } = useSave({ stale: [keys.schedules] })
  const service = api.system.schedules({ serviceKey: key })
  return (
    <div className="mb-3 rounded-control bg-raise px-3 py-2">
      <Setting
        id="schedules.calendar"
        state={
          <div className="pt-2 text-text">
            <CalendarEditor schedule={schedule} />
          </div>
        }
      />
      <Setting
        id="schedules.runOnStartup"
        standard={t(defaults.runOnStartup ? 'controls.on' : 'controls.off')}
      >
        <Switch
          isOn={runOnStartup}
          disabled={isBusy}
          onChange={(isOn) =>
            change(
              (value: boolean) => unwrap(service.runOnStartup.put({ runOnStartup: value })),
              [isOn, runOnStartup],
            )
          }
        />
      </Setting>
      {schedule.supportsNotifications && (
        <Setting id="schedules.notify" standard={t(modes[defaults.notificationMode])}>
          <Choice
            value={notificationMode}
            options={optionsOf(modes)}
            disabled={isBusy}
            onChange={(mode) =>
              change(
                (value: typeof mode) => unwrap(service.notificationMode.put(value)),
                [mode, notificationMode],
              )
            }
          />
          <Choice
            label={t('schedules.display')}
            value={notificationDisplayMode}
            options={optionsOf(displays)}
            disabled={isBusy}
            onChange={(mode) =>
              change(
                (value: typeof mode) => unwrap(service.notificationDisplayMode.put(value)),
                [mode, notificationDisplayMode],
              )
            }
          />
        </Setting>
      )}
    </div>
  )
}
