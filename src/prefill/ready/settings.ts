import { Type, type Static } from '@sinclair/typebox'
import { Model, Nullable } from '../../core/lib/schema.ts'

const Time = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', maxLength: 5 })

/** Hours of the day, in the time zone of the service; an end before the start is on the next day. */
export const AllowedHours = Model('PrefillAllowedHours', { start: Time, end: Time })
export type AllowedHours = Static<typeof AllowedHours>

export const ReadySettings = Type.Object({
  /** ISO-8601; null: none. */
  dueAt: Nullable(Type.String()),
  /** Null: at any time. */
  hours: Nullable(AllowedHours),
  /** New builds are fetched without being asked for. */
  fetchesUpdates: Type.Boolean(),
  /** Somebody wants all games to be made ready; a restart goes on. */
  isWanted: Type.Boolean(),
})
export type ReadySettings = Static<typeof ReadySettings>

export const unsetBoard: ReadySettings = {
  dueAt: null,
  hours: null,
  fetchesUpdates: false,
  isWanted: false,
}
