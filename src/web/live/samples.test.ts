import { describe, expect, test } from 'bun:test'
import { emptySpeeds } from '../../engines/logs/contract.ts'
import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import { addSample, liveSeries, sampleOf, samplesMax, withRecent, type Sample } from './samples.ts'

const game = {
  depotId: 0,
  gameName: null,
  gameAppId: null,
  betaAppId: null,
  service: 'steam',
  clientIp: '10.0.0.9',
  bytesPerSecond: 400,
  totalBytes: 800,
  requestCount: 1,
  cacheHitPercent: 75,
  isEvicted: false,
}

test('a sample splits the speed by the bytes in the window', () => {
  const snapshot: SpeedSnapshot = {
    ...emptySpeeds(new Date(5000)),
    totalBytesPerSecond: 400,
    gameSpeeds: [{ ...game, cacheHitBytes: 600, cacheMissBytes: 200 }],
  }
  expect(sampleOf(snapshot)).toEqual({ at: 5, cached: 300, fetched: 100 })
  expect(sampleOf(emptySpeeds(new Date(0)))).toEqual({ at: 0, cached: 0, fetched: 0 })
})

test('keeps a bounded number of samples in order', () => {
  let samples: readonly Sample[] = []
  for (let at = 0; at < samplesMax + 10; at++) {
    samples = addSample(samples, { at, cached: 1, fetched: 0 })
  }
  expect(samples).toHaveLength(samplesMax)
  expect(samples[0]?.at).toBe(10)
  expect(addSample(samples, { at: 3, cached: 9, fetched: 9 })).toBe(samples)
  expect(addSample(samples, { at: Number.NaN, cached: 9, fetched: 9 })).toBe(samples)
})

test('the samples of the service fill what was not seen', () => {
  const at = (...times: number[]) => times.map((time) => ({ at: time, cached: 1, fetched: 0 }))
  expect(withRecent([], at(1, 2))).toEqual(at(1, 2))
  expect(withRecent(at(1, 5, 9), at(4, 5, 6))).toEqual(at(1, 4, 5, 6, 9))
  expect(withRecent(at(7), [])).toEqual(at(7))
  const many = Array.from({ length: samplesMax }, (_, time) => time)
  expect(withRecent(at(-2, -1), at(...many))).toHaveLength(samplesMax)
})

describe('live series', () => {
  const sample = (at: number, cached: number): Sample => ({ at, cached, fetched: 0 })

  test('silence after a zero means zero up to now', () => {
    const [at, cached] = liveSeries([sample(95, 7), sample(96, 0)], 100, 60)
    expect(at).toEqual([95, 96, 100])
    expect(cached).toEqual([7, 0, 0])
  })

  test('silence after a value is a gap', () => {
    const [, cached, total] = liveSeries([sample(50, 7), sample(90, 8)], 100, 60)
    expect(cached).toEqual([7, null, 8])
    expect(total).toEqual([7, null, 8])
  })

  test('shows only the requested span', () => {
    const [at] = liveSeries([sample(10, 7), sample(95, 8)], 100, 60)
    expect(at.filter((moment) => moment >= 95)).toEqual([95])
  })
})
