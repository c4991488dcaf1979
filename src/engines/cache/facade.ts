import { isDamageText } from '../../../db/damage.ts'
import type { Logger } from '../../core/lib/log.ts'
import { Engine } from '../host.ts'
import type { CacheJobs } from './cache.worker.ts'
import type { CacheEngine } from './cache-engine.ts'
import type { CacheRoot } from './contract.ts'
import { createCorruption } from './corruption/corruption.ts'
import { createDoctorEngine } from './doctor/doctor.ts'
import { WalkQueue } from './index/walk-queue.ts'

export interface CacheEngineParts {
  dataPath: string
  log: Logger
  /** The currently configured trees; read again before every walk. */
  roots(): Promise<CacheRoot[]>
}

/** The cache engine and its worker. Idle until `start`. */
export function createCacheEngine(parts: CacheEngineParts): CacheEngine {
  const { dataPath, log } = parts
  const listeners: (() => void)[] = []
  let damagedCopy: string | null = null
  /** The trees that the worker knows. */
  let configured = ''

  const engine = new Engine<CacheJobs>({
    name: 'cache',
    script: new URL('./cache.worker.ts', import.meta.url).href,
    log,
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
