import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { openHot } from '../../../db/hot/open.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { SystemParts } from '../parts.ts'
import { EngineLoop } from '../../engines/logs/engine-loop.ts'
import type { ShipperStatus } from '../../engines/shipper/shipper.ts'
import { serviceStatus } from './service.ts'

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

/** The status while the log engine has read everything and the history is ready. */
function statusWith(shipped: ShipperStatus) {
  const history = { mode: 'embedded', state: 'ready', message: null, since: new Date() }
  // The rest is unused.
  const deps = {
    logs: { status: () => loop.status(shipped), positions: () => Promise.resolve([]) },
    history: { status: () => history },
    cache: { damagedCopy: () => null },
    settings: { get: () => null },
  } as unknown as SystemParts
  return serviceStatus(deps)
}

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
  const history = { mode: 'embedded', state: 'ready', message: null, since: new Date() }
  const shipped = { lastShippedAt: new Date(), lastError: null }
  // The rest is unused.
  const deps = {
    logs: { status: () => loop.status(shipped), positions: () => Promise.resolve([]) },
    history: { status: () => history },
    cache: { damagedCopy: () => null },
    settings: { get: (key: string) => stored[key] ?? null },
  } as unknown as SystemParts
  expect(await serviceStatus(deps)).toMatchObject({
    names: { problem: 'Steam is away' },
    dns: null,
  })
})
