import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../test/support/report-app.ts'
import { allRetroPages } from '../../test/support/retro-pages.ts'
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
import { foldedService } from './reports/numbers.ts'
import type { ClientStats } from './stats/model.ts'

const tagged = [40, 41, 42, 43, 4000, 9000]

const seeded = await seededReport(10_000)
const app = await reportApp({ history: seeded.history, now: seededUntil })
const clientDownloads = seeded.all.filter(({ isPrefill }) => !isPrefill)
const [event] = await seeded.client<{ id: number }[]>`
  INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
  VALUES ('Party', now(), now(), '', '', 3, now()) RETURNING id::float8 AS id`
const eventId = event?.id ?? 0
for (const id of tagged) {
  await seeded.client`
    INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
    VALUES (${eventId}, ${id}, now(), ${id === 41}, ${id === 43})`
}

const at = (text: string) => Date.parse(text) / 1000
const end = at(seededUntil)

const periods = [...seededPeriods, ['a time before everything', 1000, 2000] as const]

/** The service with the most bytes, as named in lists. */
function topOf(rows: PlainDownload[]): string | null {
  const byService = grouped(rows, ({ service }) => foldedService(service))
  const services = [...byService].map(([name, members]) => ({ name, size: bytes(members) }))
  services.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
  return services[0]?.name ?? null
}

describe('sums over a range', () => {
  test.each(periods)('headline figures of %s', async (_name, start, until) => {
    const rows = inBuckets(clientDownloads, start, until)
    const answer = await app.read(`/api/stats/dashboard?startTime=${start}&endTime=${until}`)
    expect(answer.totalBandwidthSaved).toBe(sum(clientDownloads, 'hitBytes'))
    expect(answer.totalAddedToCache).toBe(sum(clientDownloads, 'missBytes'))
    expect(answer.totalServed).toBe(bytes(clientDownloads))
    expect(answer.cacheHitRatio).toBeCloseTo(
      sum(clientDownloads, 'hitBytes') / bytes(clientDownloads),
      12,
    )
    expect(answer.uniqueClients).toBe(new Set(rows.map(({ client }) => client)).size)
    expect(answer.period).toMatchObject({
      bandwidthSaved: sum(rows, 'hitBytes'),
      addedToCache: sum(rows, 'missBytes'),
      totalServed: bytes(rows),
      downloads: begun(rows, start, until).length,
      since: new Date(start * 1000).toISOString(),
    })
    expect(answer.topService).toBe(topOf(clientDownloads) as string)
    const batch = await app.read(`/api/dashboard/batch?startTime=${start}&endTime=${until}`)
    expect(batch.dashboard).toMatchObject({
      ...answer,
      lastUpdated: expect.any(String),
      topService: topOf(rows) ?? 'N/A',
    })
    const shares = answer.serviceBreakdown.map((item: { percentage: number }) => item.percentage)
    const total = shares.reduce((all: number, share: number) => all + share, 0)
    expect(total).toBeCloseTo(rows.length === 0 ? 0 : 100, 0)
  })

  test.each([...periods, ['a day', end - 86_400, end], ['all time', 0, end]] as const)(
    'the busiest window of each bucket of %s',
    async (name, start, until) => {
      const times = name === 'all time' ? '' : `?startTime=${start}&endTime=${until}`
      const { sparklines } = await app.read(`/api/dashboard/batch${times}`)
      const { bucketMinutes, bucketStarts, peaks, bandwidthSaved, addedToCache } = sparklines
      const found = bucketStarts.map((bucket: number, index: number) => [
        bucket,
        peaks.hitBytes[index],
        peaks.missBytes[index],
      ])
      if (peaks.minutes === bucketMinutes) {
        const data = [bandwidthSaved.data, addedToCache.data]
        expect([peaks.hitBytes, peaks.missBytes]).toEqual(data)
        return
      }
      const windowOf = (row: PlainDownload) =>
        String(Math.floor(row.startedAt / peaks.minutes / 60) * peaks.minutes * 60)
      const windows = grouped(inBuckets(clientDownloads, start, until), windowOf)
      const width = bucketMinutes * 60
      const expected = bucketStarts.map((bucket: number) => {
        const rows = [...windows]
          .filter(([at]) => Math.floor(Number(at) / width) * width === bucket)
          .map(([, members]) => members)
          .reduce((most, members) => (bytes(members) > bytes(most) ? members : most), [])
        return [bucket, sum(rows, 'hitBytes'), sum(rows, 'missBytes')]
      })
      expect(expected.length).toBeGreaterThan(0)
      expect(found).toEqual(expected)
    },
  )

  test.each(periods)('services of %s', async (_name, start, until) => {
    const rows = grouped(inBuckets(clientDownloads, start, until), ({ service }) => service)
    const answer = await app.read(`/api/stats/services?startTime=${start}&endTime=${until}`)
    expect(answer).toHaveLength(rows.size)
    for (const item of answer) {
      const members = rows.get(item.service) ?? []
      expect(item).toMatchObject({
        totalCacheHitBytes: sum(members, 'hitBytes'),
        totalCacheMissBytes: sum(members, 'missBytes'),
        totalDownloads: begun(members, start, until).length,
        totalRequests: sum(members, 'requests'),
      })
    }
  })

  test.each(periods)('clients of %s, most bytes first', async (_name, start, until) => {
    const rows = grouped(inBuckets(clientDownloads, start, until), ({ client }) => client)
    const path = `/api/stats/clients?startTime=${start}&endTime=${until}&limit=7`
    const answer = await app.read(path, 'user')
    const ranked = [...rows].sort((a, b) => bytes(b[1]) - bytes(a[1])).slice(0, 7)
    expect(answer.map(({ clientIp }: { clientIp: string }) => clientIp)).toEqual(
      ranked.map(([client]) => client),
    )
    for (const [index, [, members]] of ranked.entries()) {
      const first = Math.min(...members.map(({ startedAt }) => startedAt))
      const last = Math.max(...members.map(({ endedAt }) => endedAt))
      expect(answer[index]).toMatchObject({
        totalBytes: bytes(members),
        totalDownloads: begun(members, start, until).length,
        totalDurationSeconds: last - first,
        lastActivityUtc: new Date(last * 1000).toISOString(),
      })
    }
  })

  test('prefill counts only on request', async () => {
    const answer = await app.read('/api/stats/dashboard?includePrefill=true')
    expect(answer.totalServed).toBe(bytes(seeded.all))
    expect(bytes(seeded.all)).toBeGreaterThan(bytes(clientDownloads))
  })

  test('since reaches back from now; unknown words set no limit', async () => {
    const week = await app.read('/api/stats/services?since=7d')
    const rows = inBuckets(clientDownloads, end - 7 * 86_400, end)
    const total = (items: { totalBytes: number }[]) =>
      items.reduce((all, item) => all + item.totalBytes, 0)
    expect(total(week)).toBe(bytes(rows))
    expect(total(await app.read('/api/stats/services?since=ages'))).toBe(bytes(clientDownloads))
    expect(total(await app.read('/api/stats/services?since=constructor'))).toBe(
      bytes(clientDownloads),
    )
  })

  test('an event contains the downloads with its tag', async () => {
    const rows = clientDownloads.filter(({ id }) => tagged.includes(id) && id !== 43)
    const answer = await app.read(`/api/stats/dashboard?eventId=${eventId}`)
    expect(answer.period.totalServed).toBe(bytes(rows))
    expect(answer.period.downloads).toBe(rows.length)
    expect(answer.totalServed).toBe(bytes(clientDownloads))
    for (const path of ['stats/dashboard', 'stats/services', 'stats/clients', 'dashboard/batch']) {
      const response = await app.send('GET', `/api/${path}?eventId=987654`, 'user')
      expect(response.status).toBe(404)
    }
  })
})

describe('a count is that of the list beside it, downloads without bytes included', () => {
  const listed = async (query: string) =>
    (await allRetroPages(app, query)).reduce((count, row) => count + row.requestCount, 0)
  const summed = async (query: string): Promise<number> =>
    (await app.read(`/api/ext/downloads/summary?${query}`)).totals.downloads

  test('of an event', async () => {
    const empty = clientDownloads.filter((row) => bytes([row]) === 0).slice(0, 3)
    for (const { id } of empty) {
      await app.send('POST', `/api/events/${eventId}/downloads/${id}`, 'user')
    }
    const { period } = await app.read(`/api/stats/dashboard?eventId=${eventId}`)
    const list = `/api/events/${eventId}/downloads?taggedOnly=true`
    expect(await app.read(list)).toHaveLength(period.downloads - 3)
    expect(await app.read(`${list}&showZeroBytes=true`)).toHaveLength(period.downloads)
    expect(await listed(`EventId=${eventId}`)).toBe(period.downloads)
    expect(await summed(`EventId=${eventId}`)).toBe(period.downloads)
    for (const { id } of empty) {
      await app.send('DELETE', `/api/events/${eventId}/downloads/${id}`, 'user')
    }
  })

  test.each(periods.slice(1, 3))(
    'of each client and service in %s',
    async (_name, start, until) => {
      const range = `StartTime=${start}&EndTime=${until}`
      const scope = `startTime=${start}&endTime=${until}`
      const clients: ClientStats[] = await app.read(
        `/api/stats/clients?${scope}&limit=1000`,
        'user',
      )
      for (const { clientIp, totalDownloads } of clients) {
        const query = `Client=${clientIp}&${range}`
        expect([clientIp, await listed(query)]).toEqual([clientIp, totalDownloads])
        expect([clientIp, await summed(query)]).toEqual([clientIp, totalDownloads])
      }
      for (const service of new Set(clientDownloads.map((row) => foldedService(row.service)))) {
        const { totals } = await app.read(`/api/ext/services/${service}/traffic?${scope}`)
        const query = `Service=${service}&${range}`
        expect([service, await listed(query)]).toEqual([service, totals.downloads])
        expect([service, await summed(query)]).toEqual([service, totals.downloads])
      }
    },
  )
})

describe('the dashboard in one answer', () => {
  test('all sections, none failed', async () => {
    const batch = await app.read('/api/dashboard/batch')
    expect(batch.failedSections).toEqual([])
    expect(batch.dashboard.totalServed).toBe(bytes(clientDownloads))
    const names = batch.services.items.map(({ service }: { service: string }) => service)
    expect(names).toContain('xbox')
    expect(names).not.toContain('xboxlive')
    expect(batch.clients.total).toBe(new Set(clientDownloads.map(({ client }) => client)).size)
    expect(batch.downloads.items).toHaveLength(200)
    expect(batch.downloads.isTruncated).toBe(true)
    const newest = clientDownloads
      .filter((row) => row.hitBytes + row.missBytes > 0)
      .sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)
    expect(batch.downloads.items.map(({ id }: { id: number }) => id)).toEqual(
      newest.slice(0, 200).map(({ id }) => id),
    )
    expect(batch.cacheSnapshot.hasData).toBe(false)
  })

  test('lines of a year have buckets of three days and hold everything until now', async () => {
    const { sparklines } = await app.read('/api/dashboard/batch')
    expect(sparklines.bucketMinutes).toBe(4320)
    const add = (values: number[]) => values.reduce((all, value) => all + value, 0)
    expect(add(sparklines.totalServed.data)).toBe(bytes(clientDownloads))
    expect(add(sparklines.bandwidthSaved.data)).toBe(sum(clientDownloads, 'hitBytes'))
    expect(sparklines.bucketStarts.at(-1)).toBe(end - (end % (3 * 86_400)))
  })

  test('lines of an hour have buckets of a minute, with the bytes of the whole hour', async () => {
    const at = clientDownloads.toSorted((a, b) => bytes([b]) - bytes([a]))[0]?.startedAt ?? 0
    const path = `/api/dashboard/batch?startTime=${at - 1800}&endTime=${at + 1800}`
    const { sparklines, dashboard } = await app.read(path)
    expect(sparklines.bucketMinutes).toBe(1)
    expect(sparklines.bucketStarts.length).toBeGreaterThan(1)
    const add = (values: number[]) => values.reduce((all, value) => all + value, 0)
    const { totalServed, bandwidthSaved } = dashboard.period
    // Every bucket is rounded to whole bytes.
    const near = (sum: number, whole: number) =>
      expect(Math.abs(sum - whole)).toBeLessThanOrEqual(sparklines.bucketStarts.length)
    near(add(sparklines.totalServed.data), totalServed)
    near(add(sparklines.bandwidthSaved.data), bandwidthSaved)
    expect(totalServed).toBeGreaterThan(0)
  })

  test.each([
    ['UTC', 0],
    ['Asia/Kolkata', 5.5],
    ['Asia/Kathmandu', 5.75],
  ])('hours of the day in %s', async (zone, hours) => {
    const other = await reportApp({
      history: seeded.history,
      now: seededUntil,
      environment: { TZ: zone },
    })
    const { hourlyActivity } = await other.read('/api/dashboard/batch')
    const byHour = grouped(clientDownloads, ({ startedAt }) =>
      String(Math.floor((((startedAt + hours * 3600) / 3600) % 24) + 24) % 24),
    )
    for (const item of hourlyActivity.hours) {
      const members = byHour.get(String(item.hour)) ?? []
      expect(item.bytesServed).toBe(bytes(members))
      expect(item.downloads).toBe(members.length)
    }
    expect(hourlyActivity.totalDownloads).toBe(clientDownloads.length)
    expect(hourlyActivity.timeZone).toBe(zone)
    await other.stop()
  })

  test('cache sizes over the period, else the last one before', async () => {
    const [start, until] = [at('2026-05-01T00:00:00Z'), at('2026-05-02T00:00:00Z')]
    for (const [hour, used] of [
      [-1, 50],
      [1, 100],
      [2, 400],
    ] as const) {
      await seeded.client`
        INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
        VALUES (to_timestamp(${start + hour * 3600}), ${used}, 1000, 0)`
    }
    const path = `/api/dashboard/batch?startTime=${start}&endTime=`
    expect((await app.read(`${path}${until}`)).cacheSnapshot).toEqual({
      hasData: true,
      startUsedSize: 100,
      endUsedSize: 400,
      averageUsedSize: 250,
      totalCacheSize: 1000,
      snapshotCount: 2,
      isEstimate: false,
    })
    expect((await app.read(`${path}${start + 60}`)).cacheSnapshot).toMatchObject({
      endUsedSize: 50,
      snapshotCount: 1,
      isEstimate: true,
    })
  })
})

describe('speeds', () => {
  test('whole downloads that overlap the last minutes', async () => {
    for (const [asked, minutes] of [
      ['?minutes=1', 5],
      ['', 60],
      ['?minutes=99999', 1440],
    ] as const) {
      const start = end - minutes * 60
      const rows = clientDownloads.filter(
        (row) => row.endedAt >= start && row.hitBytes + row.missBytes > 0 && row.startedAt <= end,
      )
      expect(await app.read(`/api/Speeds/history${asked}`)).toEqual({
        periodStartUtc: new Date(start * 1000).toISOString(),
        periodEndUtc: seededUntil,
        periodMinutes: minutes,
        totalBytes: bytes(rows),
        averageBytesPerSecond: bytes(rows) / (minutes * 60),
        totalSessions: rows.length,
      })
    }
  })

  test('current speeds come from the log engine', async () => {
    expect(await app.read('/api/Speeds/current')).toMatchObject({
      totalBytesPerSecond: 0,
      hasActiveDownloads: false,
    })
  })
})
