import { afterAll, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { createHistory } from '../../../db/history/create.ts'
import { runningServer } from '../../../db/history/embedded/orphan.ts'
import { openTestClient, untilState } from '../../../test/support/postgres.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { copyReadyHistory } from '../../../test/support/ready-history.ts'
import { trafficRow } from '../../../test/support/shipped-rows.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import type { ShipBatch } from './contract.ts'
import { createShipper } from './shipper.ts'

const folder = tempFolder('outage')
// As root, the server runs under another account, which must have access.
chmodSync(folder, 0o755)
copyReadyHistory(folder)
const history = createHistory(readConfig({ DATA_PATH: folder }), quietLog)

afterAll(() => history.stop())

const start = Date.UTC(2026, 9, 31, 23) / 1000
const rowsPerBatch = 800
const batchCount = 60

const batches: ShipBatch[] = Array.from({ length: batchCount }, (_, number) => ({
  batchId: crypto.randomUUID(),
  downloads: [],
  traffic: Array.from({ length: rowsPerBatch }, (_unused, index) =>
    trafficRow({
      bucketAt: start + 300 * (index % 40),
      client: `10.0.0.${index % 10}`,
      titleKey: `alpha:${index % 50}`,
      hitBytes: number * 1000 + index,
      missBytes: 1,
      firstAt: start,
      lastAt: start + 1,
    }),
  ),
}))

test('the server is killed repeatedly while batches are shipped: sums stay exact', async () => {
  const rows = batches.flatMap((batch) => batch.traffic)
  const expected = {
    hit: String(rows.reduce((total, row) => total + row.hitBytes, 0)),
    requests: String(rows.length),
  }
  const shipper = createShipper({
    quarantine: { divide: () => false, take: () => false },
    outbox: { next: () => batches[0] ?? null, acknowledge: () => void batches.shift() },
    log() {},
    onShipped() {},
  })
  history.onStatus(({ state }) => {
    if (state === 'ready') shipper.connect(history.connection())
  })
  history.start()
  for (const left of [50, 35, 20]) {
    await eventually(() => batches.length <= left, `${left} batches are left`)
    // Anywhere inside a batch: before, during or right after its commit.
    await Bun.sleep(left % 7)
    const pid = runningServer(join(folder, 'postgres'))
    expect(pid).not.toBeNull()
    process.kill(pid ?? 0, 'SIGKILL')
    await untilState(history, 'unavailable')
    await untilState(history, 'ready')
  }
  await eventually(() => batches.length === 0, 'all is shipped')
  await shipper.stop()
  const sql = openTestClient(history.connection())
  for (const table of ['traffic', 'traffic_hour', 'traffic_day']) {
    const [sums] = await sql.unsafe<{ hit: string; requests: string }[]>(
      `select sum(hit_bytes)::text as hit, sum(requests)::text as requests from ${table}`,
    )
    expect({ hit: sums?.hit, requests: sums?.requests }).toEqual(expected)
  }
  const [ledger] = await sql<{ total: number }[]>`select count(*)::int as total from shipped_batch`
  expect(ledger?.total).toBe(batchCount)
})
