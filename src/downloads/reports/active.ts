import type { Fragment, Sql } from 'postgres'

/** A download is active while its last byte is younger than this. */
export const activeSeconds = 15

/**
 * After the clock was set back, ends lie in the future, which is not activity; a little is skew.
 */
const skewSeconds = 60

/** Whether an end is current, as SQL; `since`: see `activeSince`, Unix seconds. */
export const endsNow = (sql: Sql, endedAt: Fragment, since: number): Fragment =>
  sql`(${endedAt} > to_timestamp(${since})
    AND ${endedAt} < to_timestamp(${since + activeSeconds + skewSeconds}))`

/** Downloads that ended after this moment are active. */
export const activeSince = (now: Date): Date => new Date(now.getTime() - activeSeconds * 1000)
