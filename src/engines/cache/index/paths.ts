import { join } from 'node:path'
import { pathOfDigest } from '../format/key.ts'
import { turn, type CacheSession } from './session.ts'

const rangeDirs = 512
const contentsMax = 1000
const pathsMax = 100_000

/** File paths of contents; searches the index until there are enough. */
export async function pathsOf(
  { store }: CacheSession,
  wanted: { contentIds: number[]; limit: number },
): Promise<string[]> {
  const limit = Math.min(wanted.limit, pathsMax)
  const roots = new Map(store.roots().map(({ id, path }) => [id, path]))
  const ids = JSON.stringify(wanted.contentIds.slice(0, contentsMax))
  const files = store.database.query<
    { rootId: number; digest: string },
    [number, number, string, number]
  >(
    `SELECT root_id AS rootId, lower(hex(digest)) AS digest FROM cache_file
       WHERE root_id IN (SELECT id FROM cache_root) AND dir >= ? AND dir < ?
         AND content_id IN (SELECT value FROM json_each(?)) LIMIT ?`,
  )
  const paths: string[] = []
  for (let dir = 0; dir < 65_536 && paths.length < limit; dir += rangeDirs) {
    const found = files.all(dir, dir + rangeDirs, ids, limit - paths.length)
    for (const { rootId, digest } of found) {
      paths.push(join(roots.get(rootId) ?? '', pathOfDigest(digest)))
    }
    await turn()
  }
  return paths
}
