/** A log folder and what reads it, without the engine's loop; fresh for every test. */
import { afterEach, beforeEach } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHot } from '../../db/hot/open.ts'
import type { DatasourceConfig } from '../../src/core/config.ts'
import { LogIngest } from '../../src/engines/logs/ingest.ts'
import { tempFolder } from './temp-folder.ts'

export let folder = ''
export let logs = ''
export let database: Database
export let ingest: LogIngest
/** What was logged since the start. */
export let warnings: string[] = []

export const file = (name: string) => join(logs, name)

interface Options {
  /** Of the datasource. */
  name?: string
  startAt?: 'beginning' | 'end'
  outboxMaxMb?: number
  schemeOverride?: DatasourceConfig['schemeOverride']
  prefillClients?: string[]
}

function begin({
  name = 'main',
  startAt = 'beginning',
  outboxMaxMb = 512,
  schemeOverride = 'auto',
  prefillClients = [],
}: Options = {}): void {
  database = openHot(folder)
  const source = { name, logPath: logs, cachePath: '/c', schemeOverride }
  const limits = { startAt, pollMs: 50, outboxMaxMb }
  const config = { datasources: [source], ingest: limits, prefillClients }
  warnings = []
  const warn = (text: string) => void warnings.push(text)
  ingest = new LogIngest(database, config, { info: () => {}, warn })
}

function end(): void {
  ingest.close()
  database.close()
}

export function restart(options?: Options): void {
  end()
  begin(options)
}

/** Reads everything; a file that turned out to be another one requires a second discovery. */
export async function drain(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const source of ingest.sources) source.nextDiscoveryMs = 0
    while (await ingest.pass());
  }
}

/** Every test of the file begins with an empty folder. */
export function withIngest(): void {
  beforeEach(() => {
    folder = tempFolder('ingest')
    logs = join(folder, 'logs')
    mkdirSync(logs)
    begin()
  })
  afterEach(end)
}
