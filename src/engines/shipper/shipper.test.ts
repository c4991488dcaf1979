import { afterAll, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { downloadRow, trafficRow } from '../../../test/support/shipped-rows.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Outbox, ShipBatch } from './contract.ts'
import { createShipper } from './shipper.ts'

const start = Date.UTC(2026, 10, 21) / 1000

/** Batches of 500 rows each; keeps a batch until acknowledged, like the real outbox. */
class TestOutbox implements Outbox {
  readonly batches: ShipBatch[]
  /** Thrown once, at the next acknowledgement: the worker "dies" after the commit. */
  dieOnce = false
  asked = 0

  constructor(count: number) {
    this.batches = Array.from({ length: count }, (_, number) => ({
      batchId: crypto.randomUUID(),
      downloads: Array.from({ length: 100 }, (_unused, index) =>
        downloadRow({
          id: 1 + number * 50 + index, // half of them come again in the next batch
          client: `10.0.0.${index % 5}`,
          titleKey: `alpha:${index % 7}`,
          startedAt: start,
          endedAt: start + number,
          hitBytes: number,
          missBytes: 1,
          objectKeys: ['0 /a'],
          revision: number + 1,
        }),
      ),
      traffic: Array.from({ length: 500 }, (_unused, index) =>
        trafficRow({
          bucketAt: start + 300 * (index % 20),
          client: `10.0.0.${index % 5}`,
          titleKey: `alpha:${index % 7}`,
          hitBytes: 1000 + index,
          missBytes: number,
          firstAt: start,
          lastAt: start + 6000,
        }),
      ),
    }))
  }

  next(): ShipBatch | null {
    this.asked++
    return this.batches[0] ?? null
  }

  acknowledge(batch: ShipBatch): void {
    if (this.dieOnce) {
      this.dieOnce = false
      throw new Error('killed between commit and acknowledgement')
    }
    if (this.batches[0]?.batchId !== batch.batchId) throw new Error('not the oldest batch')
    this.batches.shift()
  }

  totals() {
    const rows = this.batches.flatMap((batch) => batch.traffic)
    const sum = (pick: (row: (typeof rows)[number]) => number) =>
      rows.reduce((total, row) => total + pick(row), 0)
    return {
      hit: sum((row) => row.hitBytes),
      miss: sum((row) => row.missBytes),
      requests: sum((row) => row.requests),
    }
  }
}

/** A relay between shipper and server that can cut the connection at any moment. */
class Relay {
  readonly sockets = new Set<Socket>()
  readonly #folder = tempFolder('relay')
  #server: Server | null = null
  bytes = 0
  /** Cuts every connection after this many bytes from the client. */
  cutAfter = Number.POSITIVE_INFINITY
  /** Drops everything after this many bytes from the client. */
  swallowAfter = Number.POSITIVE_INFINITY

  async listen(target: HistoryTarget): Promise<HistoryTarget> {
    const { connect } = await import('node:net')
    this.#server = createServer((socket) => {
      const upstream = connect(join(target.host, `.s.PGSQL.${target.port}`))
      this.sockets.add(socket)
      const end = () => {
        socket.destroy()
        upstream.destroy()
        this.sockets.delete(socket)
      }
      for (const side of [socket, upstream]) side.on('error', end).on('close', end)
      upstream.on('data', (chunk) => socket.write(chunk))
      socket.on('data', (chunk) => {
        this.bytes += chunk.length
        if (this.bytes > this.cutAfter) end()
        else if (this.bytes <= this.swallowAfter) upstream.write(chunk)
      })
    })
    const path = join(this.#folder, '.s.PGSQL.5432')
    await new Promise<void>((resolve) => this.#server?.listen(path, resolve))
    return { ...target, host: this.#folder, port: 5432 }
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.#server?.close()
  }
}

const closers: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

function shipperOf(outbox: Outbox, batchTimeoutMs?: number) {
  const lines: string[] = []
  let shippedCalls = 0
  let newTitlesCalls = 0
  const shipper = createShipper({
    quarantine: { divide: () => false, take: () => false },
    outbox,
    log: (level, text) => lines.push(`${level} ${text}`),
    onShipped: () => shippedCalls++,
    onNewTitles: () => newTitlesCalls++,
    ...(batchTimeoutMs === undefined ? {} : { batchTimeoutMs }),
  })
  closers.push(() => shipper.stop())
  const counts = { shippedCalls: () => shippedCalls, newTitlesCalls: () => newTitlesCalls }
  return { shipper, lines, ...counts }
}

async function stored(target: HistoryTarget, table: string) {
  const sql = openTestClient(target)
  const [row] = await sql.unsafe<{ hit: number; miss: number; requests: number }[]>(
    `select sum(hit_bytes)::float8 as hit, sum(miss_bytes)::float8 as miss,
      sum(requests)::float8 as requests from ${table}`,
  )
  await sql.end()
  return { hit: row?.hit, miss: row?.miss, requests: row?.requests }
}

const tables = ['traffic', 'traffic_hour', 'traffic_day']

test('ships all queued rows, reports it, and wakes up for more', async () => {
  const target = await freshDatabase()
  const outbox = new TestOutbox(5)
  const expected = outbox.totals()
  const { shipper, shippedCalls } = shipperOf(outbox)
  expect(shipper.status()).toEqual({ lastShippedAt: null, lastError: null })
  shipper.connect(target)
  await eventually(() => outbox.batches.length === 0, 'all is shipped')
  for (const table of tables) expect(await stored(target, table)).toEqual(expected)
  expect(shipper.status().lastShippedAt).toBeInstanceOf(Date)
  await eventually(() => shippedCalls() >= 1, 'the shipment is reported')
  const asked = outbox.asked
  outbox.batches.push(...new TestOutbox(1).batches)
  shipper.kick()
  await eventually(() => outbox.batches.length === 0, 'it is shipped at once', 900)
  expect(outbox.asked).toBeGreaterThan(asked)
  await shipper.stop()
})

test('reports titles that it has not sent before, once', async () => {
  const outbox = new TestOutbox(1)
  const { shipper, shippedCalls, newTitlesCalls } = shipperOf(outbox)
  /** Another batch with all titles of the first, or one more. */
  async function ship(more: { titleKey?: string }): Promise<void> {
    const calls = shippedCalls()
    const [batch] = new TestOutbox(1).batches
    if (batch === undefined) throw new Error('there is one')
    const traffic = batch.traffic.map((row) => ({ ...row, ...more }))
    outbox.batches.push({ ...batch, traffic })
    shipper.kick()
    await eventually(() => shippedCalls() > calls, 'the shipment is reported')
  }
  shipper.connect(await freshDatabase())
  await eventually(() => newTitlesCalls() === 1, 'the first titles')
  await ship({})
  expect(newTitlesCalls()).toBe(1)
  await ship({ titleKey: 'alpha:70' })
  expect(newTitlesCalls()).toBe(2)
  await shipper.stop()
})

test('killed between commit and acknowledgement: sent again, counted once', async () => {
  const target = await freshDatabase()
  const outbox = new TestOutbox(3)
  const expected = outbox.totals()
  outbox.dieOnce = true
  const { shipper, lines } = shipperOf(outbox)
  shipper.connect(target)
  await eventually(() => outbox.batches.length === 0, 'all is shipped')
  for (const table of tables) expect(await stored(target, table)).toEqual(expected)
  expect(lines[0]).toContain('killed between commit and acknowledgement')
})

test('connections cut at many points: nothing is lost or counted twice', async () => {
  const target = await freshDatabase()
  const relay = new Relay()
  closers.push(() => relay.close())
  const through = await relay.listen(target)
  const outbox = new TestOutbox(12)
  const expected = outbox.totals()
  const last = outbox.batches.at(-1)?.batchId
  const { shipper, lines } = shipperOf(outbox)
  // Points spread over sign-in, COPY, the statements after it and the commit.
  let cuts = 0
  for (const place of [40, 700, 9000, 30_000, 61_000, 75_000, 76_500, 77_000, 150_000]) {
    relay.bytes = 0
    relay.cutAfter = place
    const before = lines.length
    shipper.connect(through)
    await eventually(
      () => lines.length > before || shipper.status().lastError !== null,
      'the cut is noticed',
    )
    cuts++
    // Resets the error, so that the next cut is noticed.
    relay.cutAfter = Number.POSITIVE_INFINITY
    shipper.connect(through)
    const left = outbox.batches.length
    await eventually(
      () => outbox.batches.length < left || outbox.batches.length === 0,
      'a batch is shipped',
    )
    if (outbox.batches.length === 0) break
  }
  await eventually(() => outbox.batches.length === 0, 'all is shipped')
  expect(cuts).toBeGreaterThan(2)
  expect(outbox.batches.some((batch) => batch.batchId === last)).toBe(false)
  for (const table of tables) expect(await stored(target, table)).toEqual(expected)
})

test('reports an unreachable server without the password, and retries', async () => {
  const target = await freshDatabase()
  const outbox = new TestOutbox(1)
  const { shipper, lines } = shipperOf(outbox)
  shipper.connect({ ...target, password: 'pass-not-right' })
  await eventually(() => shipper.status().lastError !== null, 'the failure is reported')
  expect(shipper.status().lastError).toContain('refused the user "tester"')
  expect(lines.join('\n')).not.toContain('pass-not-right')
  expect(outbox.batches.length).toBe(1)
  shipper.connect(target)
  await eventually(() => outbox.batches.length === 0, 'all is shipped')
  await eventually(() => shipper.status().lastError === null, 'the success is reported')
  expect(lines.at(-1)).toContain('again')
})

test('gives up on an endless batch, reports it and resends it: nothing counts twice', async () => {
  const target = await freshDatabase()
  const relay = new Relay()
  closers.push(() => relay.close())
  const through = await relay.listen(target)
  const outbox = new TestOutbox(2)
  const expected = outbox.totals()
  const { shipper } = shipperOf(outbox, 3000)
  // In the middle of the data of a COPY.
  relay.swallowAfter = 30_000
  shipper.connect(through)
  await eventually(() => shipper.status().lastError !== null, 'the failure is reported')
  expect(shipper.status().lastError).toContain('did not accept a batch within 3 seconds')
  relay.swallowAfter = Number.POSITIVE_INFINITY
  await eventually(() => outbox.batches.length === 0, 'all is shipped')
  for (const table of tables) expect(await stored(target, table)).toEqual(expected)
})
