import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeExclusions } from '../../clients/exclusions/store.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { bytes, seededReport, seededUntil, sum } from '../../../test/support/seeded-report.ts'
import { badgeOf, shortBytes } from './badge.ts'
import { dayStart } from './figures.ts'
import type { WidgetScope, WidgetSummary } from './model.ts'

const summaryPath = '/api/widgets/summary'
const compatPath = '/DownloadStats/GetTotalDownloadStats'
const badgePath = '/api/widgets/badge.svg'
const seeded = await seededReport(2000)
// Some are still active.
await seeded.client`
  UPDATE downloads SET ended_at = ${seededUntil} WHERE id IN
    (SELECT id FROM downloads WHERE NOT is_prefill ORDER BY started_at DESC LIMIT 3)`
const app = await reportApp({
  history: seeded.history,
  now: seededUntil,
  environment: { Security__TrustAllProxies: 'true' },
})

async function create(...scopes: WidgetScope[]): Promise<{ id: string; token: string }> {
  const body = { name: 'Homepage', scopes }
  const answer = await app.send('POST', '/api/ext/widgets/tokens', 'admin', body)
  expect(answer.status).toBe(201)
  return JSON.parse(await answer.text())
}
let callers = 0
/** Another address each time: limits are tested on their own. */
const get = (path: string, headers: Record<string, string> = {}) => {
  const own = { 'X-Forwarded-For': `10.9.${callers >> 8}.${callers++ & 255}`, ...headers }
  return app.deps.request(path, { headers: own })
}

describe('the summary', () => {
  test('has the figures of the dashboard, kept for five seconds', async () => {
    const { token } = await create('summary')
    const answer = await get(summaryPath, { Authorization: `Bearer ${token}` })
    expect(answer.status).toBe(200)
    const read: WidgetSummary = JSON.parse(await answer.text())
    const rows = seeded.all.filter(({ isPrefill }) => !isPrefill)
    const now = app.time.now()
    const midnight = Date.parse(`${now.toISOString().slice(0, 10)}T00:00:00Z`) / 1000
    const dashboard = await app.read(`/api/stats/dashboard?startTime=${midnight}`)
    expect(read).toMatchObject({
      totalServedBytes: bytes(rows),
      totalSavedBytes: sum(rows, 'hitBytes'),
      totalDownloadedBytes: sum(rows, 'missBytes'),
      todaySavedBytes: dashboard.period.bandwidthSaved,
      activeDownloads: dashboard.activeDownloads,
      bytesPerSecond: 0,
      updatedAtUtc: now.toISOString(),
    })
    expect(dashboard.activeDownloads).toBeGreaterThan(0)
    expect(read.hitPercent).toBeCloseTo((100 * sum(rows, 'hitBytes')) / bytes(rows), 0)
    expect(read.cacheTotalBytes ?? 0).toBeGreaterThan(0)
    await app.time.advance(4000)
    const again = await (await get(`${summaryPath}?token=${token}`)).json()
    expect(again).toMatchObject({ updatedAtUtc: read.updatedAtUtc })
    await app.time.advance(2000)
    const later = await (await get(`${summaryPath}?token=${token}`)).json()
    expect(later).toMatchObject({ updatedAtUtc: app.time.now().toISOString() })
  })

  test('names clients for tokens with that scope alone, and never hidden ones', async () => {
    const [{ token: plain }, { token: wide }] = [
      await create('summary', 'badge'),
      await create('summary', 'clients'),
    ]
    const text = await (await get(`${summaryPath}?token=${plain}`)).text()
    expect(text).not.toContain('clients')
    const addresses = new Set(seeded.all.map((row) => row.client))
    expect([...addresses].filter((address) => text.includes(address))).toEqual([])
    const read = async (): Promise<WidgetSummary> =>
      JSON.parse(await (await get(`${summaryPath}?token=${wide}`)).text())
    const clients = (await read()).clients ?? []
    expect(clients.length).toBeGreaterThan(0)
    expect(clients.length).toBeLessThanOrEqual(10)
    const [first] = clients
    writeExclusions(app.deps.state, [{ ip: first?.address ?? '', mode: 'hide' }])
    await app.time.advance(6000)
    const shown = (await read()).clients?.map(({ address }) => address)
    writeExclusions(app.deps.state, [])
    await app.time.advance(6000)
    expect(shown).not.toContain(first?.address ?? '')
  })

  test('without a history has nulls, and the totals of others 503', async () => {
    const away = await reportApp()
    const read = (path: string) => away.send('GET', path, 'guest')
    expect(await (await read(summaryPath)).json()).toMatchObject({
      totalSavedBytes: null,
      hitPercent: null,
      problems: 1,
    })
    expect((await read(compatPath)).status).toBe(503)
    expect(await (await read(badgePath)).text()).toContain('unknown')
  })
})

describe('totals in the form of another service', () => {
  test('take the token as the password of Basic', async () => {
    const { token } = await create('summary')
    const basic = Buffer.from(`any:${token}`).toString('base64')
    const answer = await get(compatPath, { Authorization: `Basic ${basic}` })
    const rows = seeded.all.filter(({ isPrefill }) => !isPrefill)
    expect(await answer.json()).toEqual({
      totalCacheHitBytes: sum(rows, 'hitBytes'),
      totalCacheMissBytes: sum(rows, 'missBytes'),
    })
  })
})

describe('a token', () => {
  test('is needed; a wrong one is refused with the reason, ten times a minute', async () => {
    for (const path of [summaryPath, badgePath, compatPath]) {
      const without = await get(path)
      expect([without.status, await without.text()]).toEqual([401, ''])
      const wrong = await get(`${path}?token=larder_w_wrong`)
      expect([wrong.status, await wrong.json()]).toEqual([
        401,
        { error: 'The token is wrong or was revoked; create one under Settings, Widgets' },
      ])
    }
    const { token } = await create('summary')
    const same = { 'X-Forwarded-For': '10.8.0.1' }
    const statuses: number[] = []
    for (let n = 0; n < 10; n++) {
      statuses.push((await get(`${summaryPath}?token=no`, same)).status)
    }
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect((await get(`${summaryPath}?token=no`, same)).status).toBe(429)
    expect((await get(`${summaryPath}?token=no`)).status).toBe(401)
    expect((await get(`${summaryPath}?token=${token}`, same)).status).toBe(200)
  })

  test('reads what its scopes name and nothing else', async () => {
    const badge = await create('badge')
    expect((await get(`${badgePath}?token=${badge.token}`)).status).toBe(200)
    const refused = await get(`${summaryPath}?token=${badge.token}`)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: 'The token does not have the scope summary' },
    ])
    for (const path of ['/api/stats/dashboard', '/api/ext/notifications', '/api/system/config']) {
      const headers = { Authorization: `Bearer ${badge.token}` }
      const plain = await get(path)
      const answer = await get(path, headers)
      expect([answer.status, await answer.text()]).toEqual([plain.status, await plain.text()])
    }
  })

  test('is asked at most twice a second', async () => {
    const { token } = await create('badge')
    const statuses: number[] = []
    for (let n = 0; n < 121; n++) statuses.push((await get(`${badgePath}?token=${token}`)).status)
    expect([statuses.at(-2), statuses.at(-1)]).toEqual([200, 429])
  })

  test('is stored as a hash, listed without itself, and gone once revoked', async () => {
    const { id, token } = await create('summary')
    await get(`${summaryPath}?token=${token}`)
    const list = await app.read('/api/ext/widgets/tokens', 'admin')
    expect(list.items.find((one: { id: string }) => one.id === id)).toEqual({
      id,
      name: 'Homepage',
      scopes: ['summary'],
      createdAtUtc: app.time.now().toISOString(),
      lastUsedAtUtc: app.time.now().toISOString(),
    })
    const stored = ['state.sqlite', 'state.sqlite-wal'].map((name) =>
      readFileSync(join(app.root, 'data', name), 'latin1'),
    )
    for (const text of [JSON.stringify(list), ...stored, app.deps.logLines.join('')]) {
      expect(text).not.toContain(token)
    }
    expect((await app.send('DELETE', `/api/ext/widgets/tokens/${id}`, 'admin')).status).toBe(200)
    expect((await get(`${summaryPath}?token=${token}`)).status).toBe(401)
    expect((await app.send('DELETE', `/api/ext/widgets/tokens/${id}`, 'admin')).status).toBe(404)
  })

  test('has at least one scope; there are at most 50', async () => {
    const post = (scopes: string[]) =>
      app.send('POST', '/api/ext/widgets/tokens', 'admin', { name: 'x', scopes })
    expect((await post([])).status).toBe(400)
    expect((await post(['everything'])).status).toBe(400)
    let status = 201
    for (let n = 0; n < 51 && status === 201; n++) status = (await post(['badge'])).status
    expect(status).toBe(409)
    expect((await app.read('/api/ext/widgets/tokens', 'admin')).items).toHaveLength(50)
  })
})

describe('the badge', () => {
  const summary: WidgetSummary = {
    totalServedBytes: 2e12,
    totalSavedBytes: 1_234_000_000_000,
    totalDownloadedBytes: 1,
    hitPercent: 61.74,
    todayServedBytes: 0,
    todaySavedBytes: 0,
    bytesPerSecond: 12_340_000,
    activeDownloads: 1,
    cacheTotalBytes: 1,
    cacheUsedBytes: 1,
    cacheFreeBytes: null,
    daysUntilFull: null,
    problems: 0,
    updatedAtUtc: '',
  }
  test.each([
    ['saved', 'bandwidth saved: 1.23 TB'],
    ['today', 'saved today: 0 B'],
    ['ratio', 'cache hits: 61.7 %'],
    ['speed', 'cache speed: 12.3 MB/s'],
    ['free', 'cache free: unknown'],
  ] as const)('of %s says %s', (figure, text) => {
    expect(badgeOf(figure, summary)).toContain(`aria-label="${text}"`)
  })

  test('has three digits', () => {
    expect([0, 999, 1000, 99_900, 123_456, 1e18].map(shortBytes)).toEqual([
      '0 B',
      '999 B',
      '1.00 kB',
      '99.9 kB',
      '123 kB',
      '1000 PB',
    ])
  })

  test('is an image; an unknown figure is refused', async () => {
    const answer = await app.send('GET', `${badgePath}?figure=ratio`, 'guest')
    expect(answer.headers.get('Content-Type')).toBe('image/svg+xml')
    expect(await answer.text()).toStartWith('<svg')
    expect((await app.send('GET', `${badgePath}?figure=all`, 'guest')).status).toBe(400)
  })
})

test.each([
  ['2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
  ['2026-10-25T22:30:00Z', 'Europe/Berlin', '2026-10-24T22:00:00Z'],
  ['2026-10-25T23:00:00Z', 'Europe/Berlin', '2026-10-25T23:00:00Z'],
  ['2026-05-01T00:00:00Z', 'UTC', '2026-05-01T00:00:00Z'],
  ['2026-05-01T10:00:00Z', 'Pacific/Auckland', '2026-04-30T12:00:00Z'],
])('the day of %s in %s began at %s', (now, zone, start) => {
  expect(dayStart(new Date(now), zone) * 1000).toBe(Date.parse(start))
})
