import type { Total } from './rows.ts'
import type { CacheStore } from './store.ts'

/** Hash directories summed per step. */
const rangeDirs = 256

/** By content id. */
export type Totals = Map<number, Total>

/**
 * Sums files, bytes and times of all contents of a tree in one pass over its files, and deletes
 * contents without files. Yields between ranges of directories.
 */
export function* refreshTotals(store: CacheStore, rootId: number): Generator<void> {
  const totals: Totals = new Map()
  const sums = store.database.query<Total & { contentId: number }, [number, number, number]>(
    `SELECT content_id AS contentId, count(*) AS files, sum(bytes) AS bytes,
       min(stored_at) AS firstAt, max(stored_at) AS lastAt
       FROM cache_file WHERE root_id = ? AND dir >= ? AND dir < ? GROUP BY content_id`,
  )
  for (let dir = 0; dir < 65_536; dir += rangeDirs) {
    for (const sum of sums.all(rootId, dir, dir + rangeDirs)) addTo(totals, sum.contentId, sum)
    yield
  }
  saveTotals(store, rootId, totals)
}

export function addTo(totals: Totals, contentId: number, sum: Total): void {
  const total = totals.get(contentId)
  if (total === undefined) {
    const { files, bytes, firstAt, lastAt } = sum
    totals.set(contentId, { files, bytes, firstAt, lastAt })
    return
  }
  total.files += sum.files
  total.bytes += sum.bytes
  total.firstAt = Math.min(total.firstAt, sum.firstAt)
  total.lastAt = Math.max(total.lastAt, sum.lastAt)
}

/** Saves the totals of all contents of a tree, and deletes contents without files. */
export const saveTotals = (store: CacheStore, rootId: number, totals: Totals): void =>
  store.transaction(() => write(store, rootId, totals))

function write(store: CacheStore, rootId: number, totals: Totals): void {
  const update = store.database.query(
    `UPDATE cache_content SET files = ?, bytes = ?, first_stored_at = ?, last_stored_at = ?
       WHERE id = ?`,
  )
  for (const [contentId, { files, bytes, firstAt, lastAt }] of totals) {
    update.run(files, bytes, firstAt, lastAt, contentId)
  }
  const ids = store.database
    .query<{ id: number }, [number]>('SELECT id FROM cache_content WHERE root_id = ?')
    .all(rootId)
  const drop = store.database.query('DELETE FROM cache_content WHERE id = ?')
  for (const { id } of ids) if (!totals.has(id)) drop.run(id)
}
