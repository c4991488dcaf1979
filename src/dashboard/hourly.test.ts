import { describe, expect, test } from 'bun:test'
import { hourlyActivityOf } from './hourly.ts'

describe('hours of the day', () => {
  const sums = [
    { hour: 3, hitBytes: 10, missBytes: 5, downloads: 7 },
    { hour: 20, hitBytes: 15, missBytes: 0, downloads: 1 },
  ]
  const options = { extent: null, now: 100 * 86_400, timeZone: 'UTC' }

  test('averages are per day of the period; of equal hours the earliest is the peak', () => {
    const answer = hourlyActivityOf(sums, { ...options, period: { start: 0, end: 4 * 86_400 } })
    expect(answer.daysInPeriod).toBe(4)
    expect(answer.hours).toHaveLength(24)
    expect(answer.hours[3]).toEqual({
      hour: 3,
      downloads: 7,
      avgDownloads: 1.8,
      bytesServed: 15,
      avgBytesServed: 4,
      cacheHitBytes: 10,
      cacheMissBytes: 5,
    })
    expect(answer).toMatchObject({ peakHour: 3, totalDownloads: 8, totalBytesServed: 30 })
    expect(answer).toMatchObject({ periodStart: 0, periodEnd: 345_600, period: 'filtered' })
  })

  test.each([
    [{ start: null, end: null }, null, 1],
    [{ start: null, end: null }, { first: 0, last: 86_401 }, 2],
    [{ start: 97 * 86_400, end: null }, null, 3],
    [{ start: null, end: 5 * 86_400 }, { first: 3 * 86_400, last: 4 * 86_400 }, 2],
    [{ start: 500, end: 500 }, null, 1],
  ])('days of %j with data %j: %d', (period, extent, days) => {
    expect(hourlyActivityOf([], { ...options, period, extent }).daysInPeriod).toBe(days)
  })

  test('without traffic the peak is hour 0', () => {
    const answer = hourlyActivityOf([], { ...options, period: { start: null, end: null } })
    expect(answer).toMatchObject({ peakHour: 0, totalBytesServed: 0, period: 'all' })
  })
})
