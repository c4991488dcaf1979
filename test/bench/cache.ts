import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
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

/** Reads the heads once, in the order of the disk: what is measured is not how fast the disk is. */
function warm(tree: string): void {
  const list = `find "$0" -type f -printf '%i %p\\n' | sort -n | cut -d' ' -f2-`
  const read = `xargs -P 4 -n 500 head -q -c 2048`
  Bun.spawnSync(['sh', '-c', `${list} | ${read}`, tree], { stdout: 'ignore' })
}

/** Largest memory that a process has had, parts that it shares with others included. */
export const peakOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** First and unchanged walk of a large cache by a service that is asked things meanwhile. */
export async function timeCache(
  root: string,
  { files, tree }: { files: number; tree: string },
): Promise<CacheTimed> {
  treeAt(tree, files)
  warm(tree)
  const startMs = performance.now()
  Bun.spawnSync(['find', tree, '-type', 'f', '-printf', '%s\\n'], { stdout: 'ignore' })
  const findMs = performance.now() - startMs
  const dataPath = join(root, 'cache-data')
  const logPath = join(root, 'cache-logs')
  mkdirSync(logPath, { recursive: true })
  const sources = [{ name: 'main', logPath }]
  const environment = { CacheIndex__RefreshMinutes: '0' }
  const larder = await Larder.start({ dataPath, cachePath: tree, sources, environment })
  try {
    const timed = await scanTwice(larder)
    using database = new Database(join(dataPath, 'cache.sqlite'), { readonly: true })
    const row = database.query<{ count: number }, []>('select count(*) as count from cache_file')
    const count = row.get()?.count ?? 0
    if (count !== timed.files) throw new Error(`${count} rows, ${timed.files} files`)
    return { findMs, ...timed }
  } finally {
    await larder.stop()
  }
}

async function scan(visitor: Visitor): Promise<number> {
  const path = '/api/cache/size?datasource=main'
  // A scan that takes longer than a request may is answered with 503 and goes on.
  for (;;) {
    const response = await visitor.request('GET', path)
    if (response.status === 503) continue
    // What this address answers.
    return ((await response.json()) as { scanDurationMs: number }).scanDurationMs
  }
}

async function scanTwice(larder: Larder): Promise<Omit<CacheTimed, 'findMs'>> {
  const visitor = await larder.firstSignIn()
  const walk = { isOver: false }
  const scanned = scan(visitor).finally(() => (walk.isOver = true))
  const readsMs: number[] = []
  while (!walk.isOver) {
    const readMs = performance.now()
    await visitor.read('/api/cache')
    readsMs.push(performance.now() - readMs)
    await Bun.sleep(readEveryMs)
  }
  const firstMs = await scanned
  // Files younger than ten minutes are read again; only a settled tree is unchanged.
  const unchangedMs = await scan(visitor)
  const { items } = await visitor.read<IndexState>('/api/ext/cache/index')
  const peakBytes = peakOf(larder.pid)
  return { files: items[0]?.files ?? 0, firstMs, unchangedMs, readsMs, peakBytes }
}
