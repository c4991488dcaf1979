import { describe, expect, test } from 'bun:test'
import { ReportCache, cachedReportsMax, liveTtlMs, rangeTtlMs } from './cache.ts'

function setUp() {
  let now = 1_000_000
  const cache = new ReportCache({ now: () => new Date(0), elapsedMs: () => now })
  let computed = 0
  const count = () => Promise.resolve(++computed)
  return { cache, count, pass: (ms: number) => (now += ms) }
}

describe('report cache', () => {
  test('concurrent callers share one computation', async () => {
    const { cache, count } = setUp()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => cache.get('a', { isLive: true }, count)),
    )
    expect(answers).toEqual([1, 1, 1, 1, 1])
  })

  test('caches answers about the present for two seconds, about a range for a minute', async () => {
    const { cache, count, pass } = setUp()
    await cache.get('live', { isLive: true }, count)
    await cache.get('range', { isLive: false }, count)
    pass(liveTtlMs - 1)
    expect(await cache.get('live', { isLive: true }, count)).toBe(1)
    pass(1)
    expect(await cache.get('live', { isLive: true }, count)).toBe(3)
    expect(await cache.get('range', { isLive: false }, count)).toBe(2)
    pass(rangeTtlMs)
    expect(await cache.get('range', { isLive: false }, count)).toBe(4)
  })

  test('new rows drop only answers about the present', async () => {
    const { cache, count } = setUp()
    await cache.get('live', { isLive: true }, count)
    await cache.get('range', { isLive: false }, count)
    cache.dropLive()
    expect(await cache.get('live', { isLive: true }, count)).toBe(3)
    expect(await cache.get('range', { isLive: false }, count)).toBe(2)
  })

  test('a failure is passed on and not cached', async () => {
    const { cache, count } = setUp()
    const fail = () => Promise.reject(new Error('away'))
    expect(cache.get('a', { isLive: false }, fail)).rejects.toThrow('away')
    await Promise.resolve()
    await Promise.resolve()
    expect(await cache.get('a', { isLive: false }, count)).toBe(1)
  })

  test('never exceeds its maximum and drops the least recently used', async () => {
    const { cache, count } = setUp()
    await cache.get('first', { isLive: false }, count)
    for (let index = 0; index < cachedReportsMax; index++) {
      await cache.get(`other ${index}`, { isLive: false }, count)
      await cache.get('first', { isLive: false }, () => Promise.resolve(-1))
    }
    expect(cache.size).toBe(cachedReportsMax)
    expect(await cache.get('first', { isLive: false }, () => Promise.resolve(-1))).toBe(1)
  })
})
