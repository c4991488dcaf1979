import type { CacheStore } from './store.ts'

/** Hash directories summed per step. */
const rangeDirs = 256

interface Total {
  contentId: number
  files: number
  bytes: number
  firstAt: number
  lastAt: number
}

/**
 * Sums files, bytes and times of all contents of a tree in one pass over its files, and deletes
 * contents without files. Yields between ranges of directories.
 */
export function* refreshTotals(store: CacheStore, rootId: number): Generator<void> {
  const totals = new Map<number, Total>()
  const sums = store.database.query<Total, [number, number, number]>(
    `SELECT content_id AS contentId, count(*) AS files, sum(bytes) AS bytes,
       min(stored_at) AS firstAt, max(stored_at) AS lastAt
       FROM cache_file WHERE root_id = ? AND dir >= ? AND dir < ? GROUP BY content_id`,
  )
  for (let dir = 0; dir < 65_536; dir += rangeDirs) {
    for (const sum of sums.all(rootId, dir, dir + rangeDirs)) add(totals, sum)
    yield
  }
  store.transaction(() => write(store, rootId, totals))
}

function add(totals: Map<number, Total>, sum: Total): void {
  const total = totals.get(sum.contentId)
  if (total === undefined) {
    totals.set(sum.contentId, sum)
    return
  }
  total.files += sum.files
  total.bytes += sum.bytes
  total.firstAt = Math.min(total.firstAt, sum.firstAt)
  total.lastAt = Math.max(total.lastAt, sum.lastAt)
}

function write(store: CacheStore, rootId: number, totals: Map<number, Total>): void {
  const update = store.database.query(
    `UPDATE cache_content SET files = ?, bytes = ?, first_stored_at = ?, last_stored_at = ?
       WHERE id = ?`,
  )
  for (const { contentId, files, bytes, firstAt, lastAt } of totals.values()) {
    update.run(files, bytes, firstAt, lastAt, contentId)
  }
  const ids = store.database
    .query<{ id: number }, [number]>('SELECT id FROM cache_content WHERE root_id = ?')
    .all(rootId)
  const drop = store.database.query('DELETE FROM cache_content WHERE id = ?')
  for (const { id } of ids) if (!totals.has(id)) drop.run(id)
}
