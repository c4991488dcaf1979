import type { IngestConfig, StartAt } from './ingest-config.ts'
import { awaitsKey, type HotLink } from './link/hot-link.ts'
import type { LogStore } from './store.ts'

const choiceKey = (datasource: string) => `start:${datasource}`

/**
 * Where reading starts. On a new installation without `LogProcessing__StartAt`, reading waits for
 * the first-run set-up. A choice made meanwhile registers the log files at once, so that "from now" is
 * the end of each log at that moment; without one they are registered when reading begins.
 */
export class FirstStart {
  /** Nothing is read until `begin`. */
  isWaiting: boolean
  readonly #store: LogStore
  readonly #link: HotLink
  readonly #config: IngestConfig

  constructor(store: LogStore, link: HotLink, config: IngestConfig) {
    this.#store = store
    this.#link = link
    this.#config = config
    const isDecided = config.ingest.startAt !== null || config.isSetUp !== false
    if (isDecided) this.begin()
    else if (this.#isUntouched()) store.setMeta(awaitsKey, 'yes')
    this.isWaiting = store.meta(awaitsKey) === 'yes'
  }

  /** The store may have been replaced: positions from elsewhere mean that reading had begun. */
  reload(): void {
    this.isWaiting &&= this.#store.meta(awaitsKey) === 'yes'
  }

  begin(): void {
    if (this.#store.meta(awaitsKey) === 'yes') this.#store.setMeta(awaitsKey, 'no')
    this.isWaiting = false
  }

  choose(datasource: string, to: StartAt): void {
    this.#store.setMeta(choiceKey(datasource), to)
  }

  /** Files of this datasource are not registered yet: they would start somewhere. */
  isOpen(datasource: string): boolean {
    return this.isWaiting && this.#choice(datasource) === null
  }

  /** Where files of a newly found datasource start. */
  of(datasource: string): StartAt {
    const configured = this.#config.ingest.startAt ?? 'beginning'
    return this.#link.startAt() ?? this.#choice(datasource) ?? configured
  }

  #choice(datasource: string): StartAt | null {
    const value = this.#store.meta(choiceKey(datasource))
    return value === 'beginning' || value === 'end' ? value : null
  }

  /** No log was ever found, no mismatch was ever resolved, and reading never waited. */
  #isUntouched(): boolean {
    const { database } = this.#store
    const isKnown = `SELECT 1 FROM log_member UNION ALL
      SELECT 1 FROM meta WHERE key LIKE 'discovered:%' OR key = '${awaitsKey}' LIMIT 1`
    return database.query(isKnown).get() === null && this.#link.startAt() === null
  }
}
