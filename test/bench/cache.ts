import { Database } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { dirName } from '../../src/engines/cache/format/key.ts'
import { hashDirs } from '../../src/engines/cache/index/tree.ts'
import { Larder } from '../lab/larder.ts'
import { makeCacheTree } from '../support/cache-tree.ts'
import { processorSeconds } from './import.ts'

const readEveryMs = 25

/** Time on the wall, and processor time, which a busy machine distorts less. */
interface Took {
  wallMs: number
  processorMs: number
}

export interface CacheTimed {
  files: number
  /** The system's own `find`, asked for every length, right before: the median of three. */
  find: Took
  /** What no first walk can do without: the system calls that read the head of every file. */
  heads: Took
  first: Took
  unchanged: Took
  /** One read every 25 ms during the first walk. */
  readsMs: number[]
  /** The whole service, without Postgres. */
  peakBytes: number
}

interface IndexState {
  items: { state: string; walkMs: number; files: number }[]
}

/**
 * A file fits into a page of the disk's cache. Of a larger one with a hole the system reads ahead three
 * pages of zeros, 12 GB for a million files, and neither `find` nor a walk would be warm.
 */
const sliceBytes = 2048

/** A tree at `path` is used as it is; an empty or missing one is made. */
function treeAt(path: string, files: number): void {
  if (existsSync(path) && readdirSync(path).length > 0) return
  makeCacheTree(path, files, { sliceBytes })
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

function timeFind(tree: string): Took {
  const startMs = performance.now()
  const { resourceUsage } = Bun.spawnSync(['find', tree, '-type', 'f', '-printf', '%s\\n'], {
    stdout: 'ignore',
  })
  return {
    wallMs: performance.now() - startMs,
    processorMs: Number(resourceUsage.cpuTime.total) / 1000,
  }
}

function timeHeads(tree: string): Took {
  const head = Buffer.alloc(sliceBytes)
  const [startMs, before] = [performance.now(), process.threadCpuUsage()]
  for (let dir = 0; dir < hashDirs; dir++) {
    const path = join(tree, dirName(dir))
    for (const name of readdirSync(path)) {
      const file = openSync(`${path}/${name}`, 'r')
      fstatSync(file)
      readSync(file, head)
      closeSync(file)
    }
  }
  const { user, system } = process.threadCpuUsage(before)
  return { wallMs: performance.now() - startMs, processorMs: (user + system) / 1000 }
}

/** First and unchanged walk of a large cache by a service that is asked things meanwhile. */
export async function timeCache(
  root: string,
  { files, tree }: { files: number; tree: string },
): Promise<CacheTimed> {
  treeAt(tree, files)
  warm(tree)
  const find = Array.from({ length: 3 }, () => timeFind(tree)).toSorted(
    (one, other) => one.wallMs - other.wallMs,
  )[1] as Took
  const heads = timeHeads(tree)
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
    return { find, heads, ...timed }
  } finally {
    await larder.stop()
  }
}

async function scan(visitor: Visitor, pid: number): Promise<Took> {
  const path = '/api/cache/size?datasource=main'
  const before = processorSeconds([pid])
  // A scan that takes longer than a request may is answered with 503 and goes on.
  for (;;) {
    const response = await visitor.request('GET', path)
    if (response.status === 503) continue
    // What this address answers.
    const { scanDurationMs } = (await response.json()) as { scanDurationMs: number }
    return { wallMs: scanDurationMs, processorMs: 1000 * (processorSeconds([pid]) - before) }
  }
}

async function scanTwice(larder: Larder): Promise<Omit<CacheTimed, 'find' | 'heads'>> {
  const visitor = await larder.firstSignIn()
  const walk = { isOver: false }
  const scanned = scan(visitor, larder.pid).finally(() => (walk.isOver = true))
  const readsMs: number[] = []
  while (!walk.isOver) {
    const readMs = performance.now()
    await visitor.read('/api/cache')
    readsMs.push(performance.now() - readMs)
    await Bun.sleep(readEveryMs)
  }
  const first = await scanned
  // Files younger than ten minutes are read again; only a settled tree is unchanged.
  const unchanged = await scan(visitor, larder.pid)
  const { items } = await visitor.read<IndexState>('/api/ext/cache/index')
  const peakBytes = peakOf(larder.pid)
  return { files: items[0]?.files ?? 0, first, unchanged, readsMs, peakBytes }
}
