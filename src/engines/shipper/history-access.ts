import type { Sql } from 'postgres'
import type { DescribeTitle } from '../catalogue/describe.ts'
import type { ShipBatch } from './contract.ts'
import {
  beginLink,
  emptyHistory,
  readHistorySide,
  takePositions,
  type HistoryPart,
  type HistoryPositions,
  type HistorySide,
  type Link,
} from './link.ts'
import { shipBatch } from './ship.ts'

/** An id is needed while its batch may be sent again: until the acknowledgement is on disk. */
const ledgerDays = 90
const pruneRowsMax = 50_000

/** What a log engine does with a history: over SQL, or on a node through the service. */
export interface HistoryAccess {
  /** Which batches it holds. */
  side(): Promise<HistorySide>
  beginLink(begun: Omit<Link, 'epoch'>): Promise<Link>
  takePositions(installation: string): Promise<HistoryPositions | null>
  empty(request: { installation: string; forgetsTitles: boolean }): Promise<Link>
  /** Commits a batch, exactly once. Throws RowsRefused. Whether this connection had new titles. */
  ship(batch: ShipBatch): Promise<boolean>
  /** Forgets ids of batches that cannot come again. */
  prune(): Promise<void>
  /** Seconds that a running statement gets. */
  end(timeout: number): Promise<void>
}

/** Over a connection of its own. */
export function sqlHistory(
  sql: Sql,
  part: HistoryPart,
  describeTitle: DescribeTitle,
): HistoryAccess {
  const { slot } = part
  const knownTitles = new Set<string>()
  return {
    side: () => readHistorySide(sql, slot),
    beginLink: (begun) => beginLink(sql, begun, slot),
    takePositions: (installation) => takePositions(sql, installation, part),
    // The service empties the history; a node begins anew in it.
    empty: ({ installation, forgetsTitles }) =>
      slot === 0
        ? emptyHistory(sql, { installation, forgetsTitles })
        : beginLink(sql, { installation, seq: 0, batchId: null }, slot),
    async ship(batch) {
      const known = knownTitles.size
      await shipBatch(sql, batch, { describeTitle, knownTitles, slot })
      return knownTitles.size !== known
    },
    async prune() {
      await sql`
        delete from shipped_batch where batch_id in (
          select batch_id from shipped_batch
          where shipped_at < now() - make_interval(days => ${ledgerDays}) limit ${pruneRowsMax}
        )`
    },
    end: (timeout) => sql.end({ timeout }).catch(() => {}),
  }
}
