import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { CatalogueEngine, CrawlProgress, ImportProgress } from './contract.ts'
import type { CatalogueJobs } from './jobs.ts'

/** An idle worker ends after this: Steam's library keeps 100 MB. */
const idleMs = 60_000
/** Logging on takes up to three minutes; the worker is stuck after this. */
const changeNumbersMs = 15 * 60_000

export interface CatalogueEngineParts {
  dataPath: string
  log: Logger
  timers?: Timers
  /** The worker; tests use one that trusts their certificate. */
  script?: string
}

/** Starts the worker with the first call and ends it when it has nothing to do. */
export function createCatalogueEngine(parts: CatalogueEngineParts): CatalogueEngine {
  const { dataPath, log, timers = systemTimers } = parts
  const engine = new Engine<CatalogueJobs>({
    name: 'catalogue',
    script: parts.script ?? new URL('./catalogue.worker.ts', import.meta.url).href,
    log,
    hasSmallHeap: true,
  })
  let busy = 0
  let stopWaiting = () => {}

  async function working<T>(work: Promise<T>): Promise<T> {
    busy++
    stopWaiting()
    try {
      return await work
    } finally {
      busy--
      if (busy === 0) stopWaiting = timers.after(idleMs, () => engine.kill('idle'))
    }
  }

  return {
    status: () => working(engine.ask('status', { dataPath })),
    names: (depotIds) => working(engine.ask('names', { dataPath, depotIds })),
    users: (depotIds) => working(engine.ask('users', { dataPath, depotIds })),
    crawl: (request, { signal, progress }) =>
      working(
        engine.run(
          'crawl',
          { dataPath, request },
          // The job reports exactly this shape, as plain data across the thread.
          { signal, progress: (report) => progress(report as unknown as CrawlProgress) },
        ),
      ),
    importList: (request, { signal, progress }) =>
      working(
        engine.run(
          'importList',
          { dataPath, request },
          { signal, progress: (report) => progress(report as unknown as ImportProgress) },
        ),
      ),
    changeNumbers(access, signal) {
      const late = AbortSignal.any([signal, AbortSignal.timeout(changeNumbersMs)])
      return working(engine.run('changeNumbers', { dataPath, access }, { signal: late }))
    },
    lookUp: (request, signal) => working(engine.run('lookUp', { dataPath, request }, { signal })),
    kill: () => engine.kill('the catalogue engine was killed'),
    stop() {
      stopWaiting()
      engine.kill('the catalogue engine was stopped')
    },
  }
}
