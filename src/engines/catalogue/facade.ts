/*
 * Owns `catalog.sqlite`, the names of games, and talks to the services behind it; `alpha/` is
 * Steam. A folder per further platform belongs beside it.
 *
 * A list first, Steam second. By default a ready-made list is fetched once a day, which costs
 * Steam nothing. A crawl reads Steam's product information over Steam's own protocol, for all apps
 * or for those that changed. Without a list and without any mapping, Steam is asked for the depots
 * of downloads only.
 *
 * Everything is fetched once. Lists are asked for with their ETag, an interrupted full crawl
 * continues for a day where it stopped, a depot whose neighbours do not own it is left alone for a
 * week, and the store is asked for an app once a month, 200 apps per run. Requests go to one host
 * one after the other, name Larder and its version, and wait longer after each failure
 * (`src/core/lib/outside.ts`).
 *
 * Mappings are replaced at once. An import is staged beside the mappings and takes their place in
 * one transaction; a crawl adds batch by batch and drops what it did not find again only after a
 * complete run. No name is lost while either runs.
 *
 * Steam's library has a worker of its own. It takes 100 MB, so it is loaded by the first
 * connection and ends with the idle worker. One of its parts takes over the messages of the worker
 * that loads it, and it goes silent when a connection fails before the log-on; `alpha/session.ts`
 * corrects both.
 *
 * Other threads read the file. The log engine names new titles and current downloads by a
 * read-only connection (`describe.ts`): one short query per title.
 */
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { CatalogueEngine } from './contract.ts'
import type { CatalogueJobs } from './jobs.ts'
import { programScript } from '../../core/lib/program-files.ts'

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
    script: parts.script ?? programScript('engines/catalogue/catalogue.worker'),
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
