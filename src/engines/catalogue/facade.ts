import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { CatalogueEngine } from './contract.ts'
import type { CatalogueJobs } from './jobs.ts'

/** An idle worker ends after this: Steam's library keeps 100 MB. */
const idleMs = 60_000

export interface CatalogueEngineParts {
  dataPath: string
  log: Logger
  timers?: Timers
  /** The worker; tests use one that trusts their certificate. */
  script?: string
}

/** The first call starts the worker; it ends when it has nothing to do. */
export function createCatalogueEngine(parts: CatalogueEngineParts): CatalogueEngine {
  const { dataPath, log, timers } = parts
  const engine = new Engine<CatalogueJobs>({
    name: 'catalogue',
    script: parts.script ?? new URL('./catalogue.worker.ts', import.meta.url).href,
    log,
    timers,
    hasSmallHeap: true,
    idleMs,
  })
  return {
    status: () => engine.ask('status', { dataPath }),
    names: (depotIds) => engine.ask('names', { dataPath, depotIds }),
    users: (depotIds) => engine.ask('users', { dataPath, depotIds }),
    parents: (appIds) => engine.ask('parents', { dataPath, appIds }),
    addUses: (depots) => engine.ask('addUses', { dataPath, ...depots }),
    crawl: (request, run) => engine.run('crawl', { dataPath, request }, run),
    importList: (request, run) => engine.run('importList', { dataPath, request }, run),
    changeNumbers: (access, signal) =>
      engine.run('changeNumbers', { dataPath, access }, { signal }),
    lookUp: (request, signal) => engine.run('lookUp', { dataPath, request }, { signal }),
    forget: () => engine.run('forget', { dataPath }),
    kill: () => engine.kill(),
    stop: () => engine.kill('was stopped'),
  }
}
