import type { Config } from '../../core/config.ts'

/** What the reading of logs is told by the configuration. */
export type IngestConfig = Pick<Config, 'datasources' | 'ingest'> & {
  /** Addresses and networks all of whose traffic is prefill. */
  prefillClients?: readonly string[]
  /** What log times without a zone are in; UTC when missing. */
  timeZone?: string
}

export interface EngineLog {
  info(text: string, facts?: object): void
  warn(text: string, facts?: object): void
}

export interface ReadCounts {
  entries: number
  lines: number
  bytes: number
}
