import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../test/support/report-app.ts'

const app = await reportApp()

/** Path, and its status while the history is away. */
const reads = [
  ['/api/logs', 200],
  ['/api/logs/positions', 200],
  ['/api/logs/process/status', 200],
  ['/api/logs/service-counts', 200],
  ['/api/logs/service-counts/by-datasource', 200],
  ['/api/Speeds/current', 200],
  ['/api/Speeds/history', 503],
  ['/api/ext/speeds/recent', 200],
  ['/api/downloads/retro', 503],
  ['/api/downloads/retro?EventId=1', 503],
  ['/api/downloads/5', 503],
  ['/api/downloads/with-associations', 503],
  ['/api/dashboard/batch', 200],
  ['/api/dashboard/batch?eventId=1', 200],
  ['/api/stats/dashboard', 503],
  ['/api/stats/services', 503],
  ['/api/stats/clients', 503],
  ['/api/database/log-entries-count', 200],
] as const

test.each(reads)('%s is %d while the history is away', async (path, away) => {
  const response = await app.send('GET', path, 'user')
  expect(response.status).toBe(away)
  expect(response.headers.get('Retry-After')).toBe(away === 503 ? '5' : null)
})

describe('invalid requests', () => {
  test.each([
    '/api/stats/dashboard?startTime=20&endTime=10',
    '/api/stats/services?startTime=20&endTime=10',
    '/api/stats/clients?startTime=20&endTime=10',
    '/api/stats/clients?limit=0',
    '/api/stats/dashboard?startTime=-1',
    '/api/stats/dashboard?startTime=yesterday',
    '/api/stats/dashboard?eventId=first',
    '/api/stats/dashboard?includePrefill=perhaps',
    '/api/dashboard/batch?startTime=20&endTime=10',
    '/api/dashboard/batch?endTime=99999999999999',
    '/api/downloads/with-associations?startTime=20&endTime=10',
    '/api/downloads/with-associations?count=0',
    '/api/downloads/retro?StartTime=20&EndTime=10',
    '/api/downloads/retro?Page=one',
    `/api/downloads/retro?Search=${'x'.repeat(201)}`,
    '/api/Speeds/history?minutes=many',
  ])('%s is refused with 400', async (path) => {
    expect((await app.send('GET', path, 'user')).status).toBe(400)
  })

  test.each([
    ['/api/stats/clients?limit=0', 'limit'],
    ['/api/stats/clients?limit=some', 'limit'],
    ['/api/stats/dashboard?endTime=5&startTime=-1', 'startTime'],
    ['/api/downloads/retro?HideUnknown=perhaps', 'HideUnknown'],
  ])('the answer for %s names the parameter', async (path, name) => {
    const response = await app.send('GET', path, 'user')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const { errors } = JSON.parse(await response.text())
    expect(Object.keys(errors)).toEqual([name])
  })

  test('a non-numeric id is not an endpoint', async () => {
    const response = await app.send('GET', '/api/downloads/abc', 'user')
    expect(await response.text()).toContain('<html')
    expect((await app.send('GET', '/api/downloads/abc', null)).status).toBe(401)
  })
})

test('the batch answers without the history and names the missing sections', async () => {
  const response = await app.send('GET', '/api/dashboard/batch', 'guest')
  expect(response.headers.get('Cache-Control')).toBe('no-store, private')
  const batch = JSON.parse(await response.text())
  expect(batch.failedSections).toEqual([
    'cacheSnapshot',
    'clients',
    'dashboard',
    'downloads',
    'hourlyActivity',
    'services',
    'sparklines',
  ])
  expect(batch.cache.driveCapacity).toBeGreaterThan(0)
  expect(batch.cache.usedCacheSize + batch.cache.freeCacheSize).toBe(batch.cache.driveCapacity)
  expect(batch.hourlyActivity.hours).toHaveLength(24)
  expect(batch.dashboard.topService).toBe('N/A')
  expect(batch.detection).toMatchObject({ hasCachedResults: false, games: [] })
  expect(JSON.stringify(batch)).not.toContain(app.root)
})
