import type { Fragment, Sql } from 'postgres'

/** A download is active while its last byte is younger than this. */
export const activeSeconds = 15

/** A clock that was set back leaves ends in the future, which are no activity; a little is skew. */
const skewSeconds = 60

/** Whether an end lies in the present, as SQL; `since`: see `activeSince`, Unix seconds. */
export const endsNow = (sql: Sql, endedAt: Fragment, since: number): Fragment =>
  sql`(${endedAt} > to_timestamp(${since})
    AND ${endedAt} < to_timestamp(${since + activeSeconds + skewSeconds}))`

/** Downloads that ended after this moment are active. */
export const activeSince = (now: Date): Date => new Date(now.getTime() - activeSeconds * 1000)
