import { Database } from 'bun:sqlite'
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { dirName } from '../../src/engines/cache/format/key.ts'
import { hashDirs } from '../../src/engines/cache/index/tree.ts'
import { Larder } from '../lab/larder.ts'
import { makeCacheTree } from '../support/cache-tree.ts'

const readEveryMs = 25

export interface CacheTimed {
  files: number
  /** The system's own `find`, asked for every length, right before. */
  findMs: number
  firstMs: number
  unchangedMs: number
  /** One read every 25 ms during the first walk. */
  readsMs: number[]
  /** The whole service, without Postgres. */
  peakBytes: number
}

interface IndexState {
  items: { state: string; walkMs: number; files: number }[]
}

/** A tree at `path` is used as it is when it has all directories, else made. */
function treeAt(path: string, files: number): void {
  const isThere = Bun.spawnSync(['test', '-d', join(path, dirName(hashDirs - 1))]).exitCode === 0
  if (!isThere) makeCacheTree(path, files)
  const settled = Date.now() / 1000 - 3600
  for (let dir = 0; dir < hashDirs; dir++) utimesSync(join(path, dirName(dir)), settled, settled)
}

const peakOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** First and unchanged walk of a large cache by a service that is asked things meanwhile. */
export async function timeCache(
  root: string,
  { files, tree }: { files: number; tree: string },
): Promise<CacheTimed> {
  treeAt(tree, files)
  const startMs = performance.now()
  Bun.spawnSync(['find', tree, '-type', 'f', '-printf', '%s\\n'], { stdout: 'ignore' })
  const findMs = performance.now() - startMs
  const dataPath = join(root, 'cache-data')
  const sources = [{ name: 'house', logPath: root }]
  const environment = { CacheIndex__RefreshMinutes: '0' }
  const larder = await Larder.start({ dataPath, cachePath: tree, sources, environment })
  const visitor = await larder.firstSignIn()
  const look = visitor.read<{ scanDurationMs: number }>('/api/cache/size?datasource=house')
  const walk = { isOver: false }
  const looked = look.finally(() => (walk.isOver = true))
  const readsMs: number[] = []
  while (!walk.isOver) {
    const readMs = performance.now()
    await visitor.read('/api/cache')
    readsMs.push(performance.now() - readMs)
    await Bun.sleep(readEveryMs)
  }
  const first = await looked
  // Files younger than ten minutes are looked at again; only a settled tree is unchanged.
  const again = await visitor.read<{ scanDurationMs: number }>('/api/cache/size?datasource=house')
  const { items } = await visitor.read<IndexState>('/api/ext/cache/index')
  const peakBytes = peakOf(larder.pid)
  await larder.stop()
  using database = new Database(join(dataPath, 'cache.sqlite'), { readonly: true })
  const row = database.query<{ count: number }, []>('select count(*) as count from cache_file')
  const count = row.get()?.count ?? 0
  if (count !== items[0]?.files) throw new Error(`${count} rows, ${items[0]?.files} files`)
  return {
    files: count,
    findMs,
    firstMs: first.scanDurationMs,
    unchangedMs: again.scanDurationMs,
    readsMs,
    peakBytes,
  }
}
