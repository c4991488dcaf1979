import { describe, expect, test } from 'bun:test'
import { edges, grainSeconds, grainSpans, sumSpans, touched, type Period } from './range.ts'

const at = (text: string) => Date.parse(text) / 1000

/** Five-minute buckets covered by the spans of a bounded period, in order. */
function covered(period: Period): number[] {
  const buckets: number[] = []
  for (const { from, until } of grainSpans(period)) {
    if (from === null || until === null) throw new Error('the period is open')
    for (let bucket = from; bucket < until; bucket += 300) buckets.push(bucket)
  }
  return buckets
}

describe('spans of a period', () => {
  test('all time is day rows without bounds', () => {
    expect(grainSpans({ start: null, end: null })).toEqual([
      { grain: 'day', from: null, until: null },
    ])
  })

  test('a range inside one bucket is that bucket', () => {
    const start = at('2026-03-01T12:01:00Z')
    const from = at('2026-03-01T12:00:00Z')
    expect(grainSpans({ start, end: start + 5 })).toEqual([
      { grain: 'five', from, until: from + 300 },
    ])
    expect(grainSpans({ start, end: start })).toEqual([{ grain: 'five', from, until: from + 300 }])
  })

  test('an end on a bucket border includes that bucket', () => {
    const start = at('2026-03-01T12:00:00Z')
    expect(grainSpans({ start, end: start + 300 })).toEqual([
      { grain: 'five', from: start, until: start + 600 },
    ])
  })

  test('a year is days inside, hours and five minutes at the edges', () => {
    const period = { start: at('2025-03-01T22:53:10Z'), end: at('2026-03-01T01:07:00Z') }
    expect(grainSpans(period)).toEqual([
      { grain: 'five', from: at('2025-03-01T22:50:00Z'), until: at('2025-03-01T23:00:00Z') },
      { grain: 'hour', from: at('2025-03-01T23:00:00Z'), until: at('2025-03-02T00:00:00Z') },
      { grain: 'day', from: at('2025-03-02T00:00:00Z'), until: at('2026-03-01T00:00:00Z') },
      { grain: 'hour', from: at('2026-03-01T00:00:00Z'), until: at('2026-03-01T01:00:00Z') },
      { grain: 'five', from: at('2026-03-01T01:00:00Z'), until: at('2026-03-01T01:10:00Z') },
    ])
  })

  test('a start without an end is open-ended', () => {
    expect(grainSpans({ start: at('2026-03-01T00:00:00Z'), end: null })).toEqual([
      { grain: 'day', from: at('2026-03-01T00:00:00Z'), until: null },
    ])
    const open = grainSpans({ start: at('2026-03-01T23:30:00Z'), end: null })
    expect(open.map(({ grain, until }) => [grain, until])).toEqual([
      ['five', at('2026-03-02T00:00:00Z')],
      ['day', null],
    ])
  })

  test('an end without a start has no lower bound', () => {
    expect(grainSpans({ start: null, end: at('2026-03-01T00:04:59Z') })).toEqual([
      { grain: 'day', from: null, until: at('2026-03-01T00:00:00Z') },
      { grain: 'five', from: at('2026-03-01T00:00:00Z'), until: at('2026-03-01T00:05:00Z') },
    ])
  })

  test('hours are the widest rows when requested', () => {
    const period = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') - 1 }
    expect(grainSpans(period, 'hour').map(({ grain }) => grain)).toEqual(['hour'])
    expect(grainSpans(period, 'five').map(({ grain }) => grain)).toEqual(['five'])
  })

  test('whatever the bounds, every touched bucket is covered once and in order', () => {
    let seed = 7
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 300; round++) {
      const start = at('2026-03-27T00:00:00Z') + random(4 * 86_400)
      const end = start + random(round % 2 === 0 ? 7200 : 6 * 86_400)
      const buckets = covered({ start, end })
      const first = start - (start % 300)
      const expected = Array.from(
        { length: (end - (end % 300) - first) / 300 + 1 },
        (_, index) => first + index * 300,
      )
      expect(buckets).toEqual(expected)
    }
  })

  test.each([
    [null, null, []],
    [300, 899, []],
    [100, 150, [{ from: 100, until: 151 }]],
    [100, 299, [{ from: 100, until: 300 }]],
    [300, 310, [{ from: 300, until: 311 }]],
    [
      100,
      400,
      [
        { from: 100, until: 300 },
        { from: 300, until: 401 },
      ],
    ],
    [
      100,
      999,
      [
        { from: 100, until: 300 },
        { from: 900, until: 1000 },
      ],
    ],
    [100, null, [{ from: 100, until: 300 }]],
    [null, 100, [{ from: 0, until: 101 }]],
  ])('from %p to %p the edges are %j', (start, end, expected) => {
    expect(edges({ start, end })).toEqual(expected)
  })

  test('the buckets that are touched are whole ones', () => {
    expect(touched({ start: 301, end: 899 })).toEqual({ from: 300, until: 900 })
    expect(touched({ start: 300, end: 900 })).toEqual({ from: 300, until: 1200 })
    expect(touched({ start: null, end: null })).toEqual({ from: null, until: null })
  })

  test('spans start and end on borders of their grain', () => {
    for (const span of grainSpans({ start: 1_772_000_123, end: 1_780_000_456 })) {
      expect((span.from ?? 1) % grainSeconds[span.grain]).toBe(0)
      expect((span.until ?? 1) % grainSeconds[span.grain]).toBe(0)
    }
  })

  test('sums have blocks instead of days, and cover the same time', () => {
    const block = 64 * grainSeconds.day
    for (let [round, start] = [0, 1_400_000_123]; round < 300; round++) {
      start += 123_457
      const period = { start, end: start + round * 1_234_567 }
      const spans = sumSpans(period)
      const covered = grainSpans(period)
      expect(spans.at(0)?.from).toBe(covered.at(0)?.from ?? 0)
      expect(spans.at(-1)?.until).toBe(covered.at(-1)?.until ?? 0)
      for (const [index, { grain, from, until }] of spans.entries()) {
        if (index > 0) expect(from).toBe(spans[index - 1]?.until ?? 0)
        const seconds = grain === 'block' ? block : grainSeconds[grain]
        expect([(from ?? 1) % seconds, (until ?? 1) % seconds]).toEqual([0, 0])
        if (grain === 'day') expect((until ?? 0) - (from ?? 0)).toBeLessThan(2 * block)
      }
      if (period.end - start > 2 * block) expect(spans.map(({ grain }) => grain)).toContain('block')
    }
    expect(sumSpans({ start: null, end: null })).toEqual([
      { grain: 'block', from: null, until: null },
    ])
  })
})
