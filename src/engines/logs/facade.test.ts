import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { logLine } from '../../../test/support/log-lines.ts'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import type { LogEngine } from './contract.ts'
import type { SpeedSnapshot } from './wire.ts'
import { createLogEngine } from './facade.ts'

let folder = ''
let log = ''
let engine: LogEngine

const nowS = () => Math.floor(Date.now() / 1000)

/** Resolves with the first answer that is not null; the test's own time limit ends the wait. */
async function eventually<T>(probe: () => T | null | Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await probe()
    if (value !== null) return value
    await Bun.sleep(10)
  }
}

beforeEach(async () => {
  folder = tempFolder('facade')
  for (const name of ['data', 'logs']) mkdirSync(join(folder, name))
  log = join(folder, 'logs', 'access.log')
  writeFileSync(log, logLine({ bytes: 7 }))
  const environment = {
    DATA_PATH: join(folder, 'data'),
    LanCache__LogPath: join(folder, 'logs'),
    LogProcessing__PollMs: '50',
  }
  engine = createLogEngine(readConfig(environment), quietLog)
  await engine.start()
  await eventually(() => (engine.status().state === 'following' ? true : null))
})

afterEach(() => engine.stop())

test('a written line shows up as the speed of its game, until nothing follows', async () => {
  const pushed: SpeedSnapshot[] = []
  engine.onSpeeds((snapshot) => pushed.push(snapshot))
  appendFileSync(log, logLine({ at: nowS(), bytes: 4_000_000, path: '/depot/731/chunk/a' }))
  const first = await eventually(() => pushed[0] ?? null)
  expect(first.gameSpeeds).toMatchObject([
    { gameName: 'Counter-Strike 2', gameAppId: 730, depotId: 731, totalBytes: 4_000_000 },
  ])
  expect(first.gameSpeeds[0]?.bytesPerSecond).toBe(2_000_000)
  const last = await eventually(() => pushed.find((one) => !one.hasActiveDownloads) ?? null)
  expect(last.totalBytesPerSecond).toBe(0)
})

test('positions, counts, a run and a forced restart', async () => {
  const [main] = await engine.positions()
  expect(main).toMatchObject({ position: 1, problem: 'none', layout: 'monolithic' })
  const signal = new AbortController().signal
  appendFileSync(log, logLine({ tag: 'riot' }))
  const outcome = await engine.process(null, { signal, progress: () => {} })
  expect(outcome.terminalStatus).toBe('completed')
  await engine.forceKill()
  appendFileSync(log, logLine({ tag: '192.168.1.5:8080' }))
  const counts = await eventually(async () => {
    const [one] = await engine.countedRequests()
    return one?.byService['ip-address'] === undefined ? null : one.byService
  })
  expect(counts).toEqual({ steam: 1, riot: 1, 'ip-address': 1 })
  expect(await engine.setPosition(null, 'end')).toBe(3)
})

test('reports a store that cannot be opened, and retries until it can', async () => {
  await engine.stop()
  const hot = join(folder, 'data', 'hot.sqlite')
  for (const name of [hot, `${hot}-wal`, `${hot}-shm`]) rmSync(name, { force: true })
  mkdirSync(hot)
  engine = createLogEngine(
    readConfig({ DATA_PATH: join(folder, 'data'), LanCache__LogPath: join(folder, 'logs') }),
    quietLog,
  )
  await engine.start()
  expect(engine.status().state).toBe('storage_failed')
  expect(engine.status().message).not.toBeNull()
  rmSync(hot, { recursive: true })
  await eventually(() => (engine.status().state === 'following' ? true : null))
  const [counts] = await engine.countedRequests()
  expect(counts?.byService).toEqual({ steam: 1 })
})

test('a history that gets ready while the engine starts is connected without a complaint', async () => {
  await engine.stop()
  const complaints: string[] = []
  const listener = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) })
  engine = createLogEngine(
    readConfig({ DATA_PATH: join(folder, 'data'), LanCache__LogPath: join(folder, 'logs') }),
    listener,
  )
  const { promise: shipped, resolve } = Promise.withResolvers<void>()
  engine.onShipped(resolve)
  const target = await freshDatabase()
  const started = engine.start()
  engine.historyReady(target)
  await started
  await shipped
  expect(complaints).toEqual([])
})
