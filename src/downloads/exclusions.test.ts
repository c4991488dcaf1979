import { afterEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../test/support/app.ts'
import { ManualTime } from '../../test/support/manual-time.ts'
import {
  begun,
  bytes,
  grouped,
  inBuckets,
  seededReport,
  seededPeriods,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../test/support/seeded-report.ts'
import { signInAs, signInGuest, type Browser } from '../../test/support/sign-in.ts'
import type { ClientStats, ServiceStats } from './stats/model.ts'

const hidden = '10.0.0.12'
const excluded = '10.0.1.15'
const end = Date.parse(seededUntil) / 1000

const seeded = await seededReport(10_000)
const clock = new ManualTime(seededUntil)
const app = await testApp({ history: seeded.history, clock })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)
const clientDownloads = seeded.all.filter(({ isPrefill }) => !isPrefill)
afterEach(async () => {
  await user.put('/api/stats/exclusions', { rules: [] })
  for (const { id } of await read('/api/client-groups')) {
    await user.delete(`/api/client-groups/${id}`)
  }
})

async function read(path: string, browser: Browser = user) {
  const response = await browser.get(path)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

async function excludeClients() {
  const rules = [
    { ip: hidden, mode: 'hide' },
    { ip: excluded, mode: 'exclude' },
  ]
  expect((await user.put('/api/stats/exclusions', { rules })).status).toBe(200)
}

const group = (nickname: string, initialIps: string[], separateMemberRows = false) =>
  user.post('/api/client-groups', { nickname, initialIps, separateMemberRows })

const isShown = ({ client }: PlainDownload) => client !== hidden
const isCounted = ({ client }: PlainDownload) => client !== hidden && client !== excluded

describe('hidden and uncounted clients', () => {
  test.each(seededPeriods)('figures of %s exclude them', async (_name, start, until) => {
    const range = `startTime=${start}&endTime=${until}`
    // Queried before too, so that a stale cached answer would be noticed.
    const before = await read(`/api/stats/dashboard?${range}`)
    expect(before.period.totalServed).toBe(bytes(inBuckets(clientDownloads, start, until)))
    await excludeClients()
    const counted = clientDownloads.filter(isCounted)
    const rows = inBuckets(counted, start, until)
    const answer = await read(`/api/stats/dashboard?${range}`, guest)
    expect(answer.totalServed).toBe(bytes(counted))
    expect(answer.totalBandwidthSaved).toBe(sum(counted, 'hitBytes'))
    expect(answer.uniqueClients).toBe(new Set(rows.map(({ client }) => client)).size)
    expect(answer.period).toMatchObject({
      bandwidthSaved: sum(rows, 'hitBytes'),
      addedToCache: sum(rows, 'missBytes'),
      downloads: begun(rows, start, until).length,
    })
    const listed = inBuckets(clientDownloads.filter(isShown), start, until)
    const breakdown: { bytes: number; percentage: number }[] = answer.serviceBreakdown
    expect(breakdown.reduce((all, item) => all + item.bytes, 0)).toBe(bytes(listed))
    const share = breakdown.reduce((all, item) => all + item.percentage, 0)
    expect(share).toBeCloseTo(listed.length === 0 ? 0 : 100, 0)

    const services: ServiceStats[] = await read(`/api/stats/services?${range}`)
    const byService = grouped(rows, ({ service }) => service)
    expect(services).toHaveLength(byService.size)
    for (const item of services) {
      const members = byService.get(item.service) ?? []
      expect(item).toMatchObject({
        totalBytes: bytes(members),
        totalDownloads: begun(members, start, until).length,
        lastActivityUtc: new Date(
          Math.max(...members.map((row) => row.endedAt)) * 1000,
        ).toISOString(),
      })
    }
  })

  test('lines and hours of the batch use the same counts', async () => {
    await excludeClients()
    const counted = clientDownloads.filter(isCounted)
    for (const days of [3, 9, 30, 365]) {
      const start = end - days * 86_400
      const rows = inBuckets(counted, start, end)
      const batch = await read(`/api/dashboard/batch?startTime=${start}&endTime=${end}`, guest)
      expect(batch.failedSections).toEqual([])
      expect(batch.hourlyActivity.totalBytesServed).toBe(bytes(rows))
      expect(batch.hourlyActivity.totalDownloads).toBe(begun(rows, start, end).length)
      const served: number[] = batch.sparklines.totalServed.data
      const drawn = served.reduce((all, value) => all + value, 0)
      expect(drawn).toBeGreaterThan(0)
      expect(drawn).toBe(bytes(rows))
      expect(batch.dashboard.period.totalServed).toBe(bytes(rows))
      expect(JSON.stringify(batch)).not.toContain(`"${hidden}"`)
      // Listed only: among the downloads, but not among the sums per client.
      expect(JSON.stringify(batch.clients)).not.toContain(`"${excluded}"`)
      expect(JSON.stringify(batch.downloads)).toContain(`"${excluded}"`)
    }
  })

  test('hidden ones are in no list, excluded ones are', async () => {
    await excludeClients()
    const shown = clientDownloads.filter(isShown)
    const newest = shown
      .filter((row) => bytes([row]) > 0)
      .toReversed()
      .slice(0, 300)
    const listed = await read('/api/downloads/with-associations?count=300', guest)
    expect(listed.map((item: { download: { id: number } }) => item.download.id)).toEqual(
      newest.map(({ id }) => id),
    )
    const pages = await read('/api/downloads/retro?PageSize=200&GroupByGame=true', guest)
    const clients = new Set(pages.items.flatMap((item: { clientIps: string[] }) => item.clientIps))
    expect(clients.has(hidden)).toBe(false)
    expect(clients.has(excluded)).toBe(true)
    const requests = pages.items.reduce(
      (all: number, item: { requestCount: number }) => all + item.requestCount,
      0,
    )
    expect(pages.totalPages).toBe(1)
    expect(requests).toBe(shown.length)
    const query = 'PageSize=200&GroupByGame=true&includeExcluded=false'
    const counted = await read(`/api/downloads/retro?${query}`, guest)
    const totals = counted.items.map((item: { totalBytes: number }) => item.totalBytes)
    expect(totals.reduce((all: number, own: number) => all + own, 0)).toBe(
      bytes(clientDownloads.filter(isCounted)),
    )
    for (const query of ['', `&StartTime=${end - 86_400 * 30}&EndTime=${end}`]) {
      const own = await read(`/api/downloads/retro?Client=${hidden}${query}`, guest)
      expect([own.totalItems, own.items]).toEqual([0, []])
    }
    const one = clientDownloads.find(({ client }) => client === hidden)
    expect((await user.get(`/api/downloads/${one?.id}`)).status).toBe(404)
    const other = clientDownloads.find(({ client }) => client === excluded)
    expect((await user.get(`/api/downloads/${other?.id}`)).status).toBe(200)
  })

  test('the speed of the last day', async () => {
    await excludeClients()
    const start = end - 1440 * 60
    const rows = clientDownloads.filter(
      (row) => isCounted(row) && row.endedAt >= start && row.startedAt <= end && bytes([row]) > 0,
    )
    expect(rows.length).toBeGreaterThan(5)
    const answer = await read('/api/Speeds/history?minutes=1440', guest)
    expect(answer).toMatchObject({ totalBytes: bytes(rows), totalSessions: rows.length })
  })

  test('clients exclude them unless all are requested', async () => {
    await excludeClients()
    const ips = async (query: string): Promise<string[]> =>
      (await read(`/api/stats/clients${query}`)).map(({ clientIp }: ClientStats) => clientIp)
    const all = new Set(clientDownloads.map(({ client }) => client))
    expect((await ips('')).sort()).toEqual(
      [...all].filter((ip) => ip !== hidden && ip !== excluded).sort(),
    )
    expect((await ips('?includeExcluded=true')).sort()).toEqual([...all].sort())
  })
})

describe('groups', () => {
  const start = end - 90 * 86_400
  const path = `/api/stats/clients?startTime=${start}&endTime=${end}`

  test('are merged into one row before the limit', async () => {
    const rows = grouped(inBuckets(clientDownloads, start, end), ({ client }) => client)
    const ranked = [...rows].sort((a, b) => bytes(a[1]) - bytes(b[1])).map(([ip]) => ip)
    // The four smallest add up to more than the largest.
    const members = ranked.slice(0, 4)
    const together = members.flatMap((ip) => rows.get(ip) ?? [])
    const created = await group('Four small ones', ['10.99.0.1', ...members])
    const { id } = JSON.parse(await created.text())
    const answer: ClientStats[] = await read(`${path}&limit=1`)
    expect(answer).toHaveLength(1)
    const apart: ClientStats[] = await read(`${path}&mergeGroups=false`)
    expect(apart.map(({ clientIp }) => clientIp)).toEqual(ranked.toReversed())
    expect(apart.find(({ clientIp }) => clientIp === members[0])).toMatchObject({
      displayName: 'Four small ones',
      isGrouped: false,
      totalBytes: bytes(rows.get(members[0] ?? '') ?? []),
    })
    const first = Math.min(...together.map(({ startedAt }) => startedAt))
    const last = Math.max(...together.map(({ endedAt }) => endedAt))
    expect(answer[0]).toEqual({
      clientIp: members[0] ?? '',
      displayName: 'Four small ones',
      groupId: id,
      isGrouped: true,
      groupMemberIps: ['10.99.0.1', ...members],
      totalCacheHitBytes: sum(together, 'hitBytes'),
      totalCacheMissBytes: sum(together, 'missBytes'),
      totalBytes: bytes(together),
      cacheHitPercent: Math.round((sum(together, 'hitBytes') * 1000) / bytes(together)) / 10,
      totalDownloads: begun(together, start, end).length,
      totalDurationSeconds: last - first,
      averageBytesPerSecond: bytes(together) / (last - first),
      failedRequests: 0,
      lastActivityUtc: new Date(last * 1000).toISOString(),
    })
    const batch = await read(`/api/dashboard/batch?startTime=${start}&endTime=${end}`, guest)
    expect(batch.clients.items[0]).toEqual(answer[0])
    expect(batch.clients.total).toBe(rows.size - 3)
    // A new nickname shows immediately, also in cached answers.
    const change = { nickname: 'Small ones', separateMemberRows: false }
    expect((await user.put(`/api/client-groups/${id}`, change)).status).toBe(200)
    expect((await read(`${path}&limit=1`))[0].displayName).toBe('Small ones')
  })

  test('with separate rows only provide their name', async () => {
    const plain: ClientStats[] = await read(path)
    const ips = plain.slice(0, 2).map(({ clientIp }) => clientIp)
    const { id } = JSON.parse(await (await group('Twins', ips, true)).text())
    const named: ClientStats[] = await read(path)
    expect(named).toEqual(
      plain.map((row) =>
        ips.includes(row.clientIp) ? { ...row, displayName: 'Twins', groupId: id } : row,
      ),
    )
  })

  test('exclude their excluded members', async () => {
    await group('Mixed', [hidden, '10.0.0.11', excluded])
    await excludeClients()
    const own = inBuckets(clientDownloads, start, end).filter(
      ({ client }) => client === '10.0.0.11',
    )
    const answer: ClientStats[] = await read(path)
    expect(answer.find(({ isGrouped }) => isGrouped)).toMatchObject({
      clientIp: '10.0.0.11',
      groupMemberIps: ['10.0.0.11'],
      totalBytes: bytes(own),
    })
  })
})
