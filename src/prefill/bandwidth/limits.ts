import { Type, type Static } from '@sinclair/typebox'

const time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:mm' })

const Limit = {
  /** Of all own daemons together; null: no limit. */
  bytesPerSecond: Type.Union([
    Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }),
    Type.Null(),
  ]),
  isPaused: Type.Boolean(),
}

/** Another limit at a time of day; an end before the start is on the next day. */
const LimitWindow = Type.Object({ start: time, end: time, ...Limit })

export const Bandwidth = Type.Object({
  ...Limit,
  /** The first window that is open takes precedence. */
  windows: Type.Array(LimitWindow, { maxItems: 10 }),
})
export type Bandwidth = Static<typeof Bandwidth>

export const noLimit: Bandwidth = { bytesPerSecond: null, isPaused: false, windows: [] }
