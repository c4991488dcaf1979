import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { openHot } from '../../../db/hot/open.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { nodeStates, type NodeView } from '../../nodes/contract.ts'
import type { SystemParts } from '../parts.ts'
import { EngineLoop } from '../../engines/logs/engine-loop.ts'
import type { ShipperStatus } from '../../engines/shipper/shipper.ts'
import { describeSource } from '../../engines/logs/positions.ts'
import { serviceStatus } from './service.ts'
import { troubles } from './troubles.ts'

let folder = ''
let database: Database
let loop: EngineLoop

beforeEach(async () => {
  folder = tempFolder('status')
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  writeFileSync(join(logs, 'access.log'), logLine())
  database = openHot(folder)
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const limits = { startAt: 'beginning' as const, pollMs: 50, outboxMaxMb: 512 }
  const ignore = () => {}
  loop = new EngineLoop(database, {
    config: { datasources: [source], ingest: limits },
    log: { info: ignore, warn: ignore },
    events: { speeds: ignore, committed: ignore, reopenWanted: ignore },
  })
  while (await loop.ingest.pass());
})

afterEach(async () => {
  await loop.stop()
  database.close()
})

const allShipped: ShipperStatus = { lastShippedAt: new Date(), lastError: null }

/** The parts while the log engine has read everything and the history is ready. */
function partsWith(
  shipped: ShipperStatus,
  nodes: Partial<NodeView>[] = [],
  positions: object[] = [],
) {
  const replica = { state: 'late', message: null }
  const history = { mode: 'external', state: 'ready', message: null, since: new Date(), replica }
  // The rest is unused.
  return {
    logs: { status: () => loop.status(shipped), positions: () => Promise.resolve(positions) },
    history: { status: () => history },
    cache: { damagedCopy: () => null },
    settings: { get: () => null },
    nodes: { list: () => nodes },
  } as unknown as SystemParts
}
const statusWith = (shipped: ShipperStatus) => serviceStatus(partsWith(shipped))

test('nodes that should be connected and are not make it unhealthy', async () => {
  const since = new Date('2026-11-26T12:00:00.000Z')
  const nodes = nodeStates.map((state) => ({ name: state, state, since }))
  const sinceUtc = since.toISOString()
  expect(await serviceStatus(partsWith(allShipped, nodes))).toMatchObject({
    isHealthy: false,
    nodesAway: [
      { name: 'away', sinceUtc },
      { name: 'refused', sinceUtc },
    ],
  })
  const lines = await troubles(partsWith(allShipped, nodes))
  expect(lines).toEqual([
    { part: 'node', name: 'away' },
    { part: 'node', name: 'refused' },
  ])
  expect(await statusWith(allShipped)).toMatchObject({ isHealthy: true, nodesAway: [] })
})

test('folders of a node that is away are not missing', async () => {
  const nodes = [{ name: 'attic', state: 'away', since: new Date(0) }] as const
  const positions = [
    { datasource: 'theirs', problem: 'node_away' },
    { datasource: 'own', problem: 'missing_directory' },
  ]
  expect(await troubles(partsWith(allShipped, [...nodes], positions))).toEqual([
    { part: 'folder', name: 'own', problem: 'missing_directory' },
    { part: 'node', name: 'attic' },
  ])
})

test("rows that cannot be sent are unhealthy, whatever the reader's state", async () => {
  const well = await statusWith({ lastShippedAt: new Date(), lastError: null })
  expect(well).toMatchObject({ isHealthy: true, ingest: { state: 'following' } })
  const failing = () => statusWith({ lastShippedAt: null, lastError: 'no space' })
  let stuck = await failing()
  // Queued rows are counted once a second.
  await eventually(async () => {
    stuck = await failing()
    return stuck.ingest.outbox.trafficRows > 0
  }, 'the queued rows are counted')
  expect(stuck.isHealthy).toBe(false)
  expect(stuck.ingest).toMatchObject({
    state: 'following',
    outbox: { isStuck: true, lastError: 'no space', trafficRows: 1 },
  })
})

test('a live log that cannot be read is unhealthy, although the reader follows', async () => {
  const log = join(folder, 'logs', 'access.log')
  renameSync(log, `${log}.1`)
  mkdirSync(log)
  const { ingest } = loop
  const read = async () => {
    for (const source of ingest.sources) source.nextDiscoveryMs = 0
    while (await ingest.pass());
  }
  const parts = {
    logs: {
      status: () => loop.status({ lastShippedAt: new Date(), lastError: null }),
      positions: () => Promise.resolve(ingest.sources.map((one) => describeSource(ingest, one))),
    },
    history: { status: () => ({ state: 'ready', message: null, since: new Date() }) },
    cache: { damagedCopy: () => null },
    settings: { get: () => null },
    nodes: { list: () => [] },
  } as unknown as SystemParts
  await read()
  expect(await serviceStatus(parts)).toMatchObject({
    isHealthy: false,
    ingest: { state: 'following' },
    datasources: [{ problem: 'unreadable_file', message: expect.stringContaining(log) }],
  })
  const problem = 'unreadable_file'
  expect(await troubles(parts)).toEqual([{ part: 'folder', name: 'main', problem }])
  rmSync(log, { recursive: true })
  renameSync(`${log}.1`, log)
  await read()
  expect(await serviceStatus(parts)).toMatchObject({ isHealthy: true })
  expect(await troubles(parts)).toEqual([])
})

test('quarantined rows and reached limits are counted', async () => {
  database.run(`INSERT INTO quarantine (kind, reason, row, set_aside_at_ms)
    VALUES ('traffic', 'why', '{}', 1)`)
  loop.ingest.limits.note('titlesOfDay', 5, '2026-11-20')
  const { ingest } = await statusWith({ lastShippedAt: new Date(), lastError: null })
  expect(ingest.outbox.quarantined).toBe(1)
  expect(ingest.limits).toMatchObject([{ limit: 'titlesOfDay', value: 5, subject: '2026-11-20' }])
})

test('the last search for names and the last status check are part of it', async () => {
  const stored: Record<string, unknown> = {
    'depots.lastRun': { at: 'x', mode: 'github', outcome: 'failed', error: 'Steam is away' },
  }
  const history = { state: 'ready', since: new Date() }
  const shipped = { lastShippedAt: new Date(), lastError: null }
  // The rest is unused.
  const deps = {
    logs: { status: () => loop.status(shipped), positions: () => Promise.resolve([]) },
    history: { status: () => history },
    cache: { damagedCopy: () => null },
    settings: { get: (key: string) => stored[key] ?? null },
    nodes: { list: () => [] },
  } as unknown as SystemParts
  expect(await serviceStatus(deps)).toMatchObject({
    names: { problem: 'Steam is away' },
    dns: null,
  })
})
