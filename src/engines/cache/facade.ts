/*
 * Owns `cache.sqlite`, the index of the cache files. Subfolders: `format/` (what a cache file
 * looks like: header, key, stored answer), `index/` (trees, walk, store and queries), `removal/`
 * (files, games, whole caches), `corruption/` (scans for damage) and `doctor/` (single objects).
 * Each has its own jobs; they share the worker's thread and the session with the open index. New
 * directories are read by up to three more threads.
 *
 * The index is read from the cache itself. Each cache file names its key in its header, so the
 * index needs no logs. A walk reads hash directories whose time changed since the last walk, and
 * in these only names that are new or look different. It commits every 15 ms, then other jobs of
 * the same worker get their turn. A directory that changed less than two seconds ago, or holds
 * files younger than ten minutes (indexed but not judged), is read again by the next walk.
 *
 * New directories are read by other threads. Most of a first walk is system calls, one file after
 * the other. Where 512 or more directories are unknown, up to three threads (none on a single
 * core) list them, read headers and judge keys, and hand over rows as plain numbers. The one
 * writer of the index takes them in the order of the directories, about 25 ms of work per
 * transaction. A thread that dies is replaced by the writer itself; a hanging disk holds up a
 * reader, not the other jobs. The threads end with the walk.
 *
 * Missing files leave the index last. A walk only marks files it no longer finds; they are dropped
 * when it has ended well. A missing or empty tree, one that lost more than 90 % of its files, or
 * an unreadable folder changes nothing and is reported. `POST /api/ext/cache/index/accept` is the
 * only way to accept such a loss. Deeper walks (`fingerprints`, `headers`) resume where they were
 * interrupted; the usual walk simply starts again, because what it has seen costs one query per
 * directory.
 *
 * Reading a file leaves no trace. Headers are read with `O_NOATIME`: otherwise the first walk of a
 * million files would write as many inodes. Only the owner of a file may ask for that; the first
 * file of another owner turns it off until the next start. Headers are judged on their bytes,
 * because strings and objects per header line cost more than all system calls of the file
 * together.
 *
 * Nothing is ever written into a cache. How long a deletion takes is estimated from earlier
 * clearings, otherwise from a thousand small files that are created and deleted once in the data
 * folder.
 *
 * Network disks are read many directories at a time: from four up to 64 at once, doubled while
 * that is faster. Bun reads with as many threads as there are processors unless
 * `UV_THREADPOOL_SIZE` says otherwise; the image sets it to 64.
 */
import { isDamageText } from '../../../db/damage.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Launch } from '../engine.ts'
import { Engine } from '../host.ts'
import type { CacheJobs } from './cache.worker.ts'
import type { CacheEngine } from './cache-engine.ts'
import type { CacheRoot } from './contract.ts'
import { createCorruption } from './corruption/corruption.ts'
import { createDoctorEngine } from './doctor/doctor.ts'
import { WalkQueue } from './index/walk-queue.ts'
import { programScript } from '../../core/lib/program-files.ts'

export interface CacheEngineParts {
  dataPath: string
  log: Logger
  /** The currently configured trees; read again before every walk. */
  roots(): Promise<CacheRoot[]>
  /** Keeps the index on another machine. */
  launch?: Launch | undefined
}

/** The cache engine and its worker. Idle until `start`. */
export function createCacheEngine(parts: CacheEngineParts): CacheEngine {
  const { dataPath, log, launch } = parts
  const listeners: (() => void)[] = []
  let damagedCopy: string | null = null
  /** The trees that the worker knows. */
  let configured = ''

  const engine = new Engine<CacheJobs>({
    name: 'cache',
    script: programScript('engines/cache/cache.worker'),
    log,
    launch,
    hasSmallHeap: true,
    async open(run) {
      const trees = await parts.roots()
      damagedCopy = (await run('start', { dataPath, roots: trees })) ?? damagedCopy
      configured = JSON.stringify(trees)
    },
    close: (run) => run('stop', null),
    // The next start checks the file and rebuilds it.
    isFatal: isDamageText,
  })

  function announce(): void {
    for (const listener of listeners) listener()
  }

  async function configure(): Promise<void> {
    const trees = await parts.roots()
    const text = JSON.stringify(trees)
    if (text === configured) return
    await engine.run('configure', trees)
    configured = text
  }

  const walks = new WalkQueue(async (request, run) => {
    await configure()
    const outcomes = await engine.run('walk', request, run)
    if (outcomes.some(({ added, removed, headersRead }) => added + removed + headersRead > 0)) {
      announce()
    }
    return outcomes
  })

  return {
    corruption: createCorruption(engine),
    doctor: createDoctorEngine(engine, announce),
    // Opening the index accesses the caches, one of which may be unreachable.
    start: () => void engine.start(),
    stop: () => engine.stop(),
    damagedCopy: () => damagedCopy,
    walk: (options, run) => walks.walk({ accept: false, ...options }, run),
    roots: () => engine.ask('roots', null),
    contents: () => engine.ask('contents', null),
    present: (names) => engine.ask('present', names),
    paths: (contentIds, limit) => engine.ask('paths', { contentIds, limit }),
    samplePaths: (contents) => engine.ask('samplePaths', contents),
    async remove(selection, run, options = { removesEmptyFolders: false, networkDatasources: [] }) {
      const outcome = await engine.run('remove', { selection, ...options }, run)
      announce()
      return outcome
    },
    async clear(options, run) {
      await configure()
      const outcome = await engine.run('clear', options, run)
      announce()
      return outcome
    },
    forceKill: () => engine.restart(),
    onChange: (listener) => void listeners.push(listener),
    lastSizeScan: () => engine.ask('lastSizeScan', null),
    saveSizeScan: (facts) => engine.run('saveSizeScan', { dataPath, ...facts }),
    deletionSeconds: (counts) => engine.ask('deletionSeconds', { dataPath, ...counts }),
  }
}
