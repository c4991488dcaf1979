import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Num, stringUnion, Text } from '../lib/schema.ts'

/** Which runs are shown: every one, those that a person started, none. */
export const NotificationMode = stringUnion(['all', 'manual', 'silent'])
export type NotificationMode = Static<typeof NotificationMode>

/** How notifications of a run are shown. */
export const NotificationDisplayMode = stringUnion(['full', 'condensed'])

/** Runs by the calendar: a cron expression in a time zone, and when a run may start. */
export const CustomSchedule = Model('CustomSchedule', {
  /** Minute, hour, day of the month, month, day of the week. */
  expression: Text,
  /** IANA name, or `UTC`. */
  timeZoneId: Text,
  /** `HH:mm`, inclusive and exclusive; an end before the start is on the next day. */
  windowStart: Type.Optional(Nullable(Text)),
  windowEnd: Type.Optional(Nullable(Text)),
})
export type CustomSchedule = Static<typeof CustomSchedule>

/** What an operator can change of a schedule. */
export const ScheduleSettings = Type.Object({
  /** 0: no runs; -1: only at the start of the process. */
  intervalHours: Num,
  runOnStartup: Flag,
  notificationMode: NotificationMode,
  displayMode: NotificationDisplayMode,
  /** Takes precedence over the interval. */
  customSchedule: Nullable(CustomSchedule),
})
export type ScheduleSettings = Static<typeof ScheduleSettings>
