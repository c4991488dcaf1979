import { AppError } from '../../core/http/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { CustomSchedule } from '../../core/settings/schedule-settings.ts'
import { checkCustomSchedule, isOpen, nextRun, ScheduleError } from '../../core/schedules/custom.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import type { Settings } from '../../core/settings/settings.ts'

/** Null: none. */
export type QuietHours = SettingValue<'notifications.quietHours'>

/** Every minute outside of quiet hours, as a schedule: they are the complement of its window. */
const awakeSchedule = ({ start, end, timeZoneId }: NonNullable<QuietHours>): CustomSchedule => ({
  expression: '* * * * *',
  timeZoneId,
  windowStart: end,
  windowEnd: start,
})

/** Hours of the day in which messages wait. */
export function createQuietHours(settings: Settings, clock: Clock) {
  return {
    /** The end of the present quiet hours; null outside of them. */
    until(): Date | null {
      const quiet = settings.get('notifications.quietHours')
      if (quiet === null) return null
      const awake = awakeSchedule(quiet)
      return isOpen(awake, clock.now()) ? null : nextRun(awake, clock.now())
    },
    /** Throws `invalid`. */
    set(quiet: QuietHours): void {
      try {
        if (quiet !== null) checkCustomSchedule(awakeSchedule(quiet), clock.now())
      } catch (error) {
        if (!(error instanceof ScheduleError)) throw error
        throw new AppError('invalid', 'Quiet hours need two different times HH:mm and an IANA zone')
      }
      settings.set('notifications.quietHours', quiet)
    },
  }
}
