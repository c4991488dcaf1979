import type { Config } from '../../core/config.ts'
import type { PrefillRun } from './downloads/prefill-runs.ts'

/** The part of the configuration that controls log ingestion. */
export type IngestConfig = Pick<Config, 'datasources' | 'ingest'> & {
  /** Addresses and networks whose entire traffic is prefill. */
  prefillClients?: readonly string[]
  /** Runs of our prefill daemons before the start. */
  prefillRuns?: readonly PrefillRun[]
  /** Slice sizes by datasource; 0: objects are stored whole. */
  sliceBytes?: Readonly<Record<string, number>>
  /** Time zone of log times without one; UTC by default. */
  timeZone?: string
  /** Of this log engine in the history; see `downloadIdStep`. Absent: the service's own. */
  slot?: number
  /** False: the first-run set-up was never completed. */
  isSetUp?: boolean
}

export type StartAt = 'beginning' | 'end'

export interface EngineLog {
  info(text: string, facts?: object): void
  warn(text: string, facts?: object): void
}

export interface ReadCounts {
  entries: number
  lines: number
  bytes: number
}

export const nothingRead = (): ReadCounts => ({ entries: 0, lines: 0, bytes: 0 })
