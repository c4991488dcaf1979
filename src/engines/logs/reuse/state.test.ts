import { expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import {
  database,
  drain,
  file,
  ingest,
  restart,
  withIngest,
} from '../../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { seededRandom } from '../../../demo/random.ts'
import { LogIngest } from '../ingest.ts'
import { cacheHit, cacheMiss, Line } from '../lines/line.ts'
import { movePosition } from '../positions.ts'
import { ReuseSampler, type SamplePart } from './sampler.ts'

withIngest()

/** Every object twice, the second time as a hit. */
const lines = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const path = `/depot/731/chunk/${first + (at >> 1)}`
    const cache = at % 2 === 0 ? 'MISS' : 'HIT'
    return logLine({ at: firstSecond + first + at, path, cache, bytes: 500_000 })
  }).join('')

const requests = () => ingest.accumulator.reuse.curves().map(({ sums }) => sums.requests)

test('a stored sample continues as if it had never been stored', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = seededRandom(seed)
    const options = { share: 1 / 2, objectsMax: 200 }
    const whole = new ReuseSampler(options)
    let halved = new ReuseSampler(options)
    let stored: SamplePart[] = []
    let states = 0
    const line = new Line()
    const buffer = new Uint8Array(0)
    for (let at = 0; at < 3000; at++) {
      line.timeS = firstSecond + at * 1000
      line.bytes = random.between(1, 5_000_000)
      line.cache = random.next() < 0.5 ? cacheHit : cacheMiss
      line.pathHash = Math.imul(random.between(1, 700), 0x9e3779b1)
      line.objectHash = line.pathHash
      for (const sampler of [whole, halved]) sampler.note(line, buffer, at % 7 === 0)
      const sums = { bytes: at, requests: 2, hitBytes: 1, hits: 1 }
      for (const sampler of [whole, halved]) sampler.count(line.timeS, sums)
      if (random.next() < 0.9) continue
      const part = halved.take()
      if (part === null) continue
      stored = part.isWhole ? [part] : [...stored, part]
      states += Number(part.isWhole)
      halved = new ReuseSampler(options)
      for (const one of stored) halved.restore(one)
    }
    expect(states).toBeGreaterThan(0)
    expect(halved.curve()).toEqual(whole.curve())
    expect(whole.curve()?.share).toBeLessThan(1 / 2)
  }
})

test('counts lines once over a restart and over a kill', async () => {
  writeFileSync(file('access.log'), lines(0, 40))
  await drain()
  expect(requests()).toEqual([40])
  restart()
  expect(requests()).toEqual([40])
  appendFileSync(file('access.log'), lines(100, 10))
  await drain()
  expect(requests()).toEqual([50])
  // What a process finds that follows a killed one.
  const limits = { startAt: 'beginning' as const, pollMs: 50, outboxMaxMb: 512 }
  const config = { datasources: ingest.sources.map(({ config }) => config), ingest: limits }
  const next = new LogIngest(database, config, { info: () => {}, warn: () => {} })
  await next.pass()
  expect(next.accumulator.reuse.curves().map(({ sums }) => sums.requests)).toEqual([50])
})

test('lines of a batch that was not committed are read again and count once', async () => {
  writeFileSync(file('access.log'), lines(0, 20))
  await drain()
  restart()
  appendFileSync(file('access.log'), lines(100, 20))
  database.run('ALTER TABLE log_counter RENAME TO hidden')
  await ingest.pass()
  expect(ingest.state).toBe('storage_failed')
  database.run('ALTER TABLE hidden RENAME TO log_counter')
  restart()
  await drain()
  expect(requests()).toEqual([40])
})

test('begins anew with the history', async () => {
  writeFileSync(file('access.log'), lines(0, 20))
  await drain()
  restart()
  const link = { installation: 'i', epoch: 1, seq: 0, batchId: null }
  ingest.outbox.link.beginAnew(link, { startAt: 'beginning', isEmpty: true })
  ingest.reload()
  expect(requests()).toEqual([])
  await drain()
  expect(requests()).toEqual([20])
})

test('lines that are read later than newer ones are counted, but not in the sample', async () => {
  writeFileSync(file('access.log'), lines(0, 20))
  restart({ startAt: 'end' })
  await drain()
  appendFileSync(file('access.log'), lines(100, 10))
  await drain()
  for (const source of ingest.sources) movePosition(ingest, source, 'beginning')
  await drain()
  expect(requests()).toEqual([10])
  expect(database.query('SELECT sum(requests) AS n FROM counter').get()).toEqual({ n: 30 })
})
