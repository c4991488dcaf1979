import { expect, test } from 'bun:test'
import type { TrafficRow, TrafficSide } from '../../engines/log-scan/tail-contract.ts'
import { figuresOf, type Measured } from './figures.ts'

const mib = 1024 * 1024
const side = (part: Partial<TrafficSide> = {}): TrafficSide => ({
  requests: 0,
  bytes: 0,
  timed: 0,
  requestSeconds: 0,
  originSeconds: 0,
  ...part,
})
const row = (part: Partial<TrafficRow> = {}): TrafficRow => ({
  client: 'a',
  tag: 'steam',
  titleKey: 'alpha:1',
  hits: side({ requests: 100, bytes: 100 * mib }),
  misses: side(),
  expired: 0,
  activeSeconds: 10,
  ...part,
})
const measured: Measured = { lineBytesPerSecond: null, bestOfClients: new Map(), disk: null }
const of = (rows: TrafficRow[], all: TrafficRow | null = null) =>
  figuresOf({ rows, all }, { client: 'a', tag: 'steam', titleKey: 'alpha:1' }, measured)

test('a download, its client, and the fastest other one are told apart', () => {
  const figures = of([
    row({ client: 'b', hits: side({ requests: 50, bytes: 300 * mib }) }),
    row({ client: 'b', titleKey: 'alpha:2', activeSeconds: 5 }),
    row(),
    row({ titleKey: 'alpha:2', activeSeconds: 20 }),
    // Mostly from the internet, too short, or too small: no measure for content of the cache.
    row({ client: 'c', misses: side({ requests: 9, bytes: 900 * mib }) }),
    row({ client: 'd', activeSeconds: 1, hits: side({ requests: 90, bytes: 900 * mib }) }),
    row({ client: 'e', hits: side({ requests: 3, bytes: 900 * mib }) }),
  ])
  expect(figures).toMatchObject({ seconds: 10, bytes: 100 * mib, requests: 100, internetShare: 0 })
  expect(figures.own.bytesPerSecond).toBe(10 * mib)
  expect(figures.client.bytesPerSecond).toBe(10 * mib)
  expect(figures.otherClient?.bytesPerSecond).toBe(40 * mib)
  // Of another title there are misses of one client only.
  expect(figures.otherTitle).toBeNull()
})

test('from a fifth from the internet on, its own speed is that of the misses', () => {
  const part = (misses: number) =>
    of([
      row({
        hits: side({ requests: 10, bytes: (100 - misses) * mib }),
        misses: side({ requests: 10, bytes: misses * mib }),
      }),
      row({
        client: 'b',
        titleKey: 'x',
        hits: side(),
        misses: side({ requests: 9, bytes: 90 * mib }),
      }),
    ])
  expect(part(19).own.bytesPerSecond).toBe(10 * mib)
  expect(part(20).own.bytesPerSecond).toBe(2 * mib)
  expect(part(20).otherTitle?.bytesPerSecond).toBe(9 * mib)
})

test('connections are known when nearly every line has its time', () => {
  const timed = (count: number) =>
    of([row({ hits: side({ requests: 100, bytes: 100 * mib, timed: count, requestSeconds: 25 }) })])
  expect(timed(95).own).toEqual({
    bytesPerSecond: 10 * mib,
    connections: 2.5,
    requestBytesPerSecond: 4 * mib,
  })
  expect(timed(94).own).toMatchObject({ connections: null, requestBytesPerSecond: null })
  // What fits into buffers takes no time; a speed without end would be none.
  const instant = of([row({ hits: side({ requests: 100, bytes: 100 * mib, timed: 100 }) })])
  expect(instant.own.requestBytesPerSecond).toBe(1000 * mib)
})

test('what is not in the log has no figures, and nothing is divided by zero', () => {
  for (const figures of [of([]), of([row({ client: 'b' })])]) {
    expect(figures).toMatchObject({ seconds: 0, bytes: 0, requests: 0, originShare: null })
    expect(JSON.stringify(figures)).not.toContain('NaN')
  }
})
