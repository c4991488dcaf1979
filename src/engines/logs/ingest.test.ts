import { describe, expect, setSystemTime, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  unlinkSync,
} from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { eventually } from '../../../test/support/eventually.ts'
import {
  database,
  drain,
  file,
  ingest,
  logs,
  restart,
  warnings,
  withIngest,
} from '../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { takeTurns } from '../../core/lib/pause.ts'
import { describeSource, movePosition } from './positions.ts'
import { untilShipped } from './shipped.ts'

withIngest()

const totals = () =>
  database
    .query(
      'SELECT sum(hit_bytes) AS hit, sum(miss_bytes) AS miss, sum(requests) AS requests FROM counter',
    )
    .get() as { hit: number; miss: number; requests: number }

/** Sizes that are powers of two show exactly which lines were counted, and how often. */
const block = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    logLine({ at: firstSecond + first + index, bytes: 2 ** (first + index) }),
  ).join('')
const sumTo = (count: number) => 2 ** count - 1

describe('a datasource that gets another name', () => {
  const byName = () =>
    database
      .query('SELECT datasource, sum(requests) AS requests FROM counter GROUP BY 1 ORDER BY 1')
      .values()

  test.each(['the same files', 'copies of them'])('goes on in %s', async (which) => {
    writeFileSync(file('access.log.1'), block(0, 12))
    writeFileSync(file('access.log'), block(12, 12))
    await drain()
    if (which !== 'the same files') {
      for (const name of ['access.log', 'access.log.1']) {
        copyFileSync(file(name), file('copy'))
        renameSync(file('copy'), file(name))
      }
    }
    appendFileSync(file('access.log'), block(24, 3))
    restart({ name: 'other' })
    await drain()
    expect(byName()).toEqual([
      ['main', 24],
      ['other', 3],
    ])
    expect(warnings).toEqual(['a datasource goes on under another name'])
    restart({ name: 'other' })
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(27), requests: 27 })
    expect(warnings).toEqual([])
  })

  test('is another one if its files are', async () => {
    writeFileSync(file('access.log'), block(0, 12))
    await drain()
    rmSync(file('access.log'))
    writeFileSync(file('access.log'), block(5, 12))
    restart({ name: 'other' })
    await drain()
    expect(byName()).toEqual([
      ['main', 12],
      ['other', 12],
    ])
  })
})

describe('rotation while following', () => {
  test('rename and create: drains the renamed file, reads the new one from zero', async () => {
    writeFileSync(file('access.log'), block(0, 8))
    await drain()
    appendFileSync(file('access.log'), block(8, 2))
    renameSync(file('access.log'), file('access.log.1'))
    appendFileSync(file('access.log.1'), block(10, 2))
    writeFileSync(file('access.log'), block(12, 3))
    await drain()
    appendFileSync(file('access.log.1'), block(15, 1))
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(16), requests: 16 })
  })

  test('copytruncate: continues in the copy, reads the original from zero', async () => {
    writeFileSync(file('access.log'), block(0, 8))
    await drain()
    appendFileSync(file('access.log'), block(8, 4))
    copyFileSync(file('access.log'), file('access.log.1'))
    await drain()
    expect(totals().hit).toBe(sumTo(12))
    appendFileSync(file('access.log'), block(12, 2))
    copyFileSync(file('access.log'), file('access.log.1'))
    truncateSync(file('access.log'))
    appendFileSync(file('access.log'), block(14, 6))
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(20), requests: 20 })
  })

  test.each([
    ['access.log.2.gz', gzipSync],
    ['access.log-20261120.zst', zstdCompressSync],
  ] as const)('compressed to %s: reads only new lines', async (name, compress) => {
    writeFileSync(file('access.log.1'), block(0, 8))
    await drain()
    writeFileSync(file(name), compress(Buffer.from(block(0, 11))))
    unlinkSync(file('access.log.1'))
    writeFileSync(file('access.log'), block(11, 1))
    await drain()
    restart()
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(12), requests: 12 })
  })

  test('reads a truncated compressed file as far as possible and reports it', async () => {
    const whole = gzipSync(Buffer.from(block(0, 30)))
    writeFileSync(file('access.log.1.gz'), whole.subarray(0, whole.length - 20))
    writeFileSync(file('access.log'), block(30, 1))
    await drain()
    const [source] = ingest.sources
    if (source === undefined) throw new Error('no source')
    const about = describeSource(ingest, source)
    expect(about.filesWithErrors).toEqual(['access.log.1.gz'])
    expect(about.lastRunTerminalStatus).toBe('partial')
    expect(totals().requests).toBeGreaterThan(1)
  })

  test('continues at the new end of a file truncated in place', async () => {
    writeFileSync(file('access.log'), block(0, 10))
    await drain()
    truncateSync(file('access.log'), block(0, 5).length)
    await drain()
    appendFileSync(file('access.log'), block(10, 3))
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(13), requests: 13 })
  })
})

describe('lines', () => {
  test('an incomplete last line waits', async () => {
    const whole = block(0, 2)
    writeFileSync(file('access.log'), whole.slice(0, -20))
    await drain()
    expect(totals().requests).toBe(1)
    appendFileSync(file('access.log'), whole.slice(-20))
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(2), requests: 2 })
  })

  test('counts garbage of every kind and never stops at it', async () => {
    const noise = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 256))
    writeFileSync(file('access.log'), block(0, 1))
    appendFileSync(file('access.log'), Buffer.concat([noise, Buffer.from('\n\0\0\0')]))
    appendFileSync(file('access.log'), block(1, 1))
    appendFileSync(file('access.log'), `${'x'.repeat(10_000_000)}\n\n"[[[\n{"a":\n{}\n[] - -\n`)
    appendFileSync(file('access.log'), block(2, 1))
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(3), requests: 3 })
    const [counts] = ingest.store.lineCounts()
    expect(counts).toMatchObject({ parsedLines: 3, overlongLines: 1 })
  })

  test('counts bytes only for 200 and 206, by cache status, without health checks', async () => {
    const lines = [
      ...['HIT', 'STALE', 'UPDATING', 'REVALIDATED'].map((cache) => logLine({ cache, bytes: 1 })),
      ...['MISS', 'EXPIRED', 'BYPASS'].map((cache) => logLine({ cache, bytes: 10 })),
      logLine({ cache: '-', bytes: 1000 }),
      logLine({ status: 502, cache: 'MISS', bytes: 1000 }),
      logLine({ path: '/lancache-heartbeat?x=1' }),
      logLine({ path: '/ping' }),
      logLine({ agent: 'Larder-Probe/1' }),
      logLine({ path: '/maps/pingu.pak', bytes: 5 }),
    ]
    writeFileSync(file('access.log'), lines.join(''))
    await drain()
    expect(totals()).toEqual({ hit: 9, miss: 30, requests: 10 })
  })
})

describe('downloads', () => {
  test('the gap rule holds across a restart', async () => {
    writeFileSync(file('access.log'), logLine({ at: firstSecond }))
    await drain()
    restart()
    appendFileSync(file('access.log'), logLine({ at: firstSecond + 300 }))
    await drain()
    restart()
    appendFileSync(file('access.log'), logLine({ at: firstSecond + 601 }))
    await drain()
    expect(ingest.outbox.next()?.downloads).toMatchObject([{ requests: 2 }, { requests: 1 }])
  })

  test('a changed download leaves its sealed batch; acknowledging the old one keeps it', async () => {
    writeFileSync(file('access.log'), logLine())
    await drain()
    const batch = ingest.outbox.next()
    expect(batch?.downloads).toHaveLength(1)
    expect(ingest.outbox.next()?.batchId).toBe(batch?.batchId ?? '')
    appendFileSync(file('access.log'), logLine({ at: firstSecond + 1 }))
    await drain()
    restart()
    if (batch === null) throw new Error('no batch')
    ingest.outbox.acknowledge(batch)
    const next = ingest.outbox.next()
    expect(next?.downloads).toMatchObject([{ requests: 2 }])
    expect(next?.traffic).toMatchObject([{ requests: 1, hitBytes: 100 }])
  })

  test('does not resend after a restart what the history has, until it grows', async () => {
    writeFileSync(file('access.log'), logLine())
    await drain()
    const batch = ingest.outbox.next()
    if (batch === null) throw new Error('no batch')
    ingest.outbox.acknowledge(batch)
    restart()
    await drain()
    expect(ingest.outbox.next()).toBeNull()
    appendFileSync(file('access.log'), logLine({ at: firstSecond + 1 }))
    await drain()
    expect(ingest.outbox.next()?.downloads).toMatchObject([{ requests: 2 }])
  })
})

test('waits for counted rows to be sent, but not forever', async () => {
  writeFileSync(file('access.log'), logLine())
  await drain()
  const isSent = (withinMs: number, isCancelled = () => false) =>
    untilShipped(ingest.outbox, withinMs, { isCancelled })
  expect(await isSent(50)).toBe(false)
  expect(await isSent(60_000, () => true)).toBe(false)
  const sent = isSent(60_000)
  const batch = ingest.outbox.next()
  if (batch === null) throw new Error('no batch')
  ingest.outbox.acknowledge(batch)
  expect(await sent).toBe(true)
})

describe('positions', () => {
  test('starting at the end skips existing lines; `beginning` reads them once', async () => {
    restart({ startAt: 'end' })
    writeFileSync(file('access.log'), block(0, 6))
    writeFileSync(file('access.log.1.gz'), gzipSync(Buffer.from(block(20, 4))))
    await drain()
    appendFileSync(file('access.log'), block(6, 2))
    await drain()
    expect(totals().requests).toBe(2)
    const [source] = ingest.sources
    if (source === undefined) throw new Error('no source')
    expect(movePosition(ingest, source, 'beginning')).toBe(0)
    await drain()
    movePosition(ingest, source, 'beginning')
    await drain()
    const history = 2 ** 24 - 2 ** 20
    expect(totals()).toMatchObject({ hit: sumTo(8) + history, requests: 12 })
  })

  test('reports a missing directory, or one in place of a file, and continues', async () => {
    const [source] = ingest.sources
    if (source === undefined) throw new Error('no source')
    mkdirSync(file('access.log'))
    await drain()
    expect(source.directory?.problem).toBe('unreadable_file')
    rmSync(logs, { recursive: true })
    await drain()
    expect(source.directory?.problem).toBe('missing_directory')
    mkdirSync(logs)
    writeFileSync(file('access.log'), block(0, 1))
    await drain()
    expect(totals().requests).toBe(1)
  })
})

describe('problems with the store', () => {
  test('a full outbox pauses reading until rows were shipped', async () => {
    restart({ outboxMaxMb: 0.001 })
    writeFileSync(file('access.log'), block(0, 2))
    await drain()
    appendFileSync(file('access.log'), block(2, 2))
    ingest.outbox.acknowledge({ batchId: 'none', downloads: [], traffic: [] })
    await drain()
    expect(ingest.state).toBe('paused_outbox_full')
    expect(totals().requests).toBe(2)
    const batch = ingest.outbox.next()
    if (batch === null) throw new Error('no batch')
    ingest.outbox.acknowledge(batch)
    await drain()
    expect(totals()).toMatchObject({ hit: sumTo(4), requests: 4 })
  })

  test('a failed commit advances nothing and is retried', async () => {
    writeFileSync(file('access.log'), block(0, 2))
    await drain()
    database.run(`CREATE TRIGGER refuse BEFORE UPDATE ON counter
      BEGIN SELECT raise(ABORT, 'disk full'); END`)
    appendFileSync(file('access.log'), block(2, 3))
    await drain()
    expect(ingest.state).toBe('storage_failed')
    expect(totals().requests).toBe(2)
    database.run('DROP TRIGGER refuse')
    const isBack = async () => {
      await drain()
      return ingest.state !== 'storage_failed'
    }
    await eventually(isBack, 'lines are stored again')
    expect(totals()).toMatchObject({ hit: sumTo(5), requests: 5 })
  })

  test.each([-24, 24])(
    'a clock set by %d hours delays neither retries nor lines',
    async (hours) => {
      const realMs = Date.now()
      writeFileSync(file('access.log'), block(0, 2))
      await drain()
      database.run(`CREATE TRIGGER refuse BEFORE UPDATE ON counter
      BEGIN SELECT raise(ABORT, 'disk full'); END`)
      appendFileSync(file('access.log'), block(2, 3))
      await drain()
      expect(ingest.state).toBe('storage_failed')
      database.run('DROP TRIGGER refuse')
      setSystemTime(new Date(realMs + hours * 3_600_000))
      try {
        const isCounted = async () => {
          await ingest.pass()
          return totals().requests === 5
        }
        await eventually(isCounted, 'the lines count, whatever the time of day')
        expect(totals()).toMatchObject({ hit: sumTo(5), requests: 5 })
        expect(ingest.lagMs(Date.now())).toBeLessThan(30_000)
      } finally {
        setSystemTime()
      }
    },
  )
})

test('traffic of our own user agent and of configured clients is prefill', async () => {
  restart({ prefillClients: ['10.9.0.0/16'] })
  const lineOf = (client: string, userAgent: string) =>
    `[steam] ${client} / - - - [20/Nov/2026:21:52:49 +0000] "GET /depot/1/chunk/a HTTP/1.1" 200 64 ` +
    `"-" "${userAgent}" "MISS" "h" "-"\n`
  const lines = [
    lineOf('10.9.1.1', 'Valve/Steam HTTP Client 1.0'),
    lineOf('10.8.1.1', 'Larder-Prefill/1'),
    lineOf('10.8.1.2', 'Valve/Steam HTTP Client 1.0'),
  ]
  writeFileSync(file('access.log'), lines.join(''))
  await drain()
  const rows = database
    .query('SELECT client, is_prefill AS isPrefill FROM traffic_outbox ORDER BY client')
    .all()
  expect(rows).toEqual([
    { client: '10.8.1.1', isPrefill: 1 },
    { client: '10.8.1.2', isPrefill: 0 },
    { client: '10.9.1.1', isPrefill: 1 },
  ])
})

test('other work has its turn after each chunk of a batch, and may end the batch', async () => {
  const lines = 30_000
  writeFileSync(file('access.log'), logLine({ bytes: 1 }).repeat(lines))
  const batch = ingest.pass()
  await takeTurns()
  expect(totals().requests).toBeNull()
  ingest.endBatch()
  expect(await batch).toBe(true)
  const { requests } = totals()
  expect(requests).toBeGreaterThan(0)
  expect(requests).toBeLessThan(lines)
  await drain()
  expect(totals()).toMatchObject({ hit: lines, requests: lines })
})
