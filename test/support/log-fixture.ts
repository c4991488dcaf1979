/** A log folder with its log engine, for tests that change log files. */
import { afterEach, beforeEach } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHot } from '../../db/hot/open.ts'
import type { LineFilter } from '../../src/engines/logs/changes/line-filter.ts'
import { EngineLoop } from '../../src/engines/logs/engine-loop.ts'
import { firstSecond, logLine } from './log-lines.ts'
import { tempFolder } from './temp-folder.ts'

export let folder = ''
export let logs = ''
let database: Database
export let loop: EngineLoop
export let reopenMarks: string[] = []

export const pathOf = (name: string) => join(logs, name)
const quiet = { info: () => {}, warn: () => {} }

export function begin(startAt: 'beginning' | 'end' = 'beginning'): void {
  database = openHot(folder)
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const config = {
    datasources: [source],
    ingest: { startAt, pollMs: 50, outboxMaxMb: 512 },
  }
  const events = {
    speeds: () => {},
    committed: () => {},
    reopenWanted: (mark: string) => void reopenMarks.push(mark),
  }
  loop = new EngineLoop(database, { config, log: quiet, events })
  loop.start()
}

async function end(): Promise<void> {
  await loop.stop()
  database.close()
}

/** Moves the logs to another folder. */
export function moveTo(path: string): void {
  logs = path
}

export async function restart(): Promise<void> {
  await end()
  begin()
  await caughtUp()
}

export async function caughtUp(): Promise<void> {
  const context = { progress: () => {}, isCancelled: () => false }
  await loop.process(null, context)
  await loop.process(null, context)
}

/** Every line has a bit of its own: the sum shows which lines were counted, and how often. */
export const one = (bit: number, tag = 'steam', path = `/depot/731/chunk/${bit}`) =>
  logLine({ at: firstSecond + bit, bytes: 2 ** bit, tag, path })
export const counted = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number }).hit

export const remove = (filter: LineFilter, isCancelled = () => false) =>
  loop.removeLines({ datasource: 'main', filter }, { progress: () => {}, isCancelled })
export const ofService = (service: string) => remove({ kind: 'service', service })

/** Every test of the file gets a folder of its own, and leaves no engine running. */
export function eachInNewFolder(): void {
  beforeEach(() => {
    folder = tempFolder('removal')
    logs = join(folder, 'logs')
    mkdirSync(logs)
    reopenMarks = []
  })

  afterEach(() => end())
}
