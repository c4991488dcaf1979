import { timingSafeEqual } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { DownloadsParts } from '../parts.ts'
import { Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { randomText } from '../../core/lib/secret-file.ts'

const tokenBytes = 32
const credentialName = 'events.feedToken'

export const CalendarFeed = Model('CalendarFeed', {
  /** Null until one was made: then only sessions can read the calendar. */
  token: Nullable(Text),
  /** The feed's path, relative to this service's address. */
  path: Nullable(Text),
  createdAtUtc: Nullable(Utc),
})
export type CalendarFeed = Static<typeof CalendarFeed>

type FeedDeps = Pick<DownloadsParts, 'credentials'>

const none: CalendarFeed = { token: null, path: null, createdAtUtc: null }

/** The installation's token; null when its encryption key was lost. */
export function readFeed({ credentials }: FeedDeps): CalendarFeed {
  const kept = credentials.read(credentialName)
  if (kept.state !== 'kept') return none
  const path = `/api/ext/events/calendar.ics?token=${kept.secret}`
  return { token: kept.secret, path, createdAtUtc: kept.updatedAt.toISOString() }
}

/** Creates a new token; the previous one is refused from now on. */
export function rotateFeed(deps: FeedDeps): CalendarFeed {
  deps.credentials.keep(credentialName, randomText(tokenBytes))
  return readFeed(deps)
}

/** From now on only sessions can read the calendar. */
export function closeFeed({ credentials }: FeedDeps): CalendarFeed {
  credentials.forget(credentialName)
  return none
}

const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()

/** Constant-time comparison. */
export function isFeedToken(deps: FeedDeps, given: string | undefined): boolean {
  const { token } = readFeed(deps)
  if (given === undefined || token === null) return false
  return timingSafeEqual(digest(given), digest(token))
}
