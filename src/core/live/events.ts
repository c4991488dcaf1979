import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Flag, Int, Model, Text, Utc } from '../lib/schema.ts'

/**
 * `session`: the session named by `sessionId` in the payload, and account holders. The other two
 * are as in the hub's contract.
 */
type Reach = 'everyone' | 'accounts' | 'session'

/** Guests, accounts, and those from whom nothing is hidden: the owner, or all without accounts. */
export type Viewer = 'guest' | 'account' | 'owner'

/** What an event carries, who receives it and what they see of it. */
export interface EventRule<T extends TSchema = TSchema> {
  readonly payload: T
  readonly reach: Reach
  /** A newer one replaces an older one that a slow client has not received yet. */
  readonly isLatestOnly?: boolean
  /** What a viewer receives instead of the payload. */
  readonly seenBy?: (viewer: Viewer, data: unknown) => unknown
}

const reaching =
  (reach: Reach) =>
  <T extends TSchema>(
    payload: T,
    more: Pick<EventRule, 'isLatestOnly' | 'seenBy'> = {},
  ): EventRule<T> => ({ reach, payload, ...more })

/** Declare an event, by who receives it. */
export const everyone = reaching('everyone')
export const accounts = reaching('accounts')
export const session = reaching('session')

/** Every event of the service by its name; `src/app.ts` puts it together. */
export type EventCatalogue = ReadonlyMap<string, EventRule>

/** The payloads of declared events, by name. */
export type PayloadsOf<D> = {
  [E in keyof D]: D[E] extends EventRule<infer T> ? Static<T> : never
}

/**
 * Events and their payloads for the compiler, which holds senders and the dashboard to them.
 * `src/app.ts` adds those of the groups with `declare module`.
 */
export interface EventPayloads extends PayloadsOf<typeof liveEvents> {}

export type EventName = keyof EventPayloads
export type PayloadOf<E extends EventName> = EventPayloads[E]

export const membersOf = (data: unknown): Record<string, unknown> =>
  // Payloads are plain objects or null; anything else has no members.
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Only guests receive less than the payload. */
export const lessForGuests =
  (reduce: (data: unknown) => unknown): EventRule['seenBy'] =>
  (viewer, data) =>
    viewer === 'guest' ? reduce(data) : data

const activitySnapshot = Model('ActivitySnapshot', {
  revision: Type.Integer({ description: 'Grows with every change; a lower one is older' }),
  activities: Type.Array(
    Type.Object({
      domain: Text,
      key: Text,
      aspect: Text,
      isActive: Flag,
      activeCount: Int,
    }),
    { description: 'What is missing here is not active' },
  ),
})
export type ActivitySnapshot = Static<typeof activitySnapshot>
export type Activities = ActivitySnapshot['activities']
/** The snapshot before every viewer gets a share of it. */
export interface ActivityUpdate extends ActivitySnapshot {
  /** Of sessions that only the owner may see. */
  ofOwner: Activities
}

/**
 * Guests see that a download is active, not who is signed in or which operations run; what the
 * owner's sessions do is hidden from other accounts.
 */
function activityFor(viewer: Viewer, data: unknown): unknown {
  const { revision = 0, activities, ofOwner } = membersOf(data)
  const all = listOf(activities)
  if (viewer === 'owner') return { revision, activities: [...all, ...listOf(ofOwner)] }
  if (viewer === 'account') return { revision, activities: all }
  return { revision, activities: all.filter((entry) => membersOf(entry).domain === 'download') }
}

const serverTime = Type.Object({ serverTime: Utc })

/** Events of the connection itself. */
export const liveEvents = {
  Welcome: everyone(serverTime),
  Pong: everyone(serverTime),
  ActivityUpdated: everyone(activitySnapshot, { isLatestOnly: true, seenBy: activityFor }),
}

/** All rows of a table were deleted. */
export const Cleared = Type.Object({ message: Text, timestamp: Utc })
