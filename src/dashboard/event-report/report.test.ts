import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'
import {
  bytes,
  grouped,
  inBuckets,
  seededReport,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import { Browser, signInOwner } from '../../../test/support/sign-in.ts'
import { seededRandom } from '../../demo/random.ts'
import type { DownloadsSummary } from '../../downloads/games/model.ts'
import type { EventReport } from './model.ts'

const now = Date.parse(seededUntil) / 1000
const hour = 3600
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const sumsOf = (rows: PlainDownload[]) => ({
  hitBytes: sum(rows, 'hitBytes'),
  missBytes: sum(rows, 'missBytes'),
  servedBytes: bytes(rows),
})
const added = (points: readonly { hitBytes: number; missBytes: number }[]) => ({
  hitBytes: points.reduce((all, { hitBytes }) => all + hitBytes, 0),
  missBytes: points.reduce((all, { missBytes }) => all + missBytes, 0),
})

interface KnownEvent {
  id: number
  start: number
  end: number
  tagged: PlainDownload[]
}

describe('random events of a seeded history', () => {
  const random = seededRandom(20_261_125)
  const events: KnownEvent[] = []
  let seeded: Awaited<ReturnType<typeof seededReport>>
  let app: ReportApp
  const reportOf = (id: number): Promise<EventReport> => app.read(`/api/ext/events/${id}/report`)

  /** An event with the tags of random downloads, mostly of those that began in it. */
  async function addEvent(start: number, end: number): Promise<void> {
    const body = { name: `Party ${events.length}`, startTime: start, endTime: end }
    const answer = await app.send('POST', '/api/events', 'user', body)
    const { id }: { id: number } = JSON.parse(await answer.text())
    const tagged = seeded.all.filter(({ startedAt }) => {
      const isInside = startedAt >= start && startedAt <= end
      return random.between(1, 100) <= (isInside ? 90 : 1)
    })
    await seeded.client`
      INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
      SELECT ${id}::bigint, unnest(${tagged.map((row) => row.id)}::bigint[]), now(), false, false
      ON CONFLICT (event_id, download_id) DO UPDATE SET is_automatic = false`
    // What the service tagged by itself meanwhile.
    await seeded.client`
      DELETE FROM event_downloads WHERE event_id = ${id}
        AND download_id <> ALL(${tagged.map((row) => row.id)}::bigint[])`
    events.push({ id, start, end, tagged: tagged.filter(({ isPrefill }) => !isPrefill) })
  }

  beforeAll(async () => {
    seeded = await seededReport(10_000)
    app = await reportApp({ history: seeded.history, now: seededUntil })
    for (const hours of [3, 30, 70, 20 * 24, 100 * 24]) {
      const start = now - random.between(30 * 24, 200 * 24) * hour + random.between(0, 3599)
      await addEvent(start, start + hours * hour - random.between(0, 600))
    }
    // Still running.
    await addEvent(now - 26 * hour, now + 20 * hour)
    await eventually(async () => {
      const [row] =
        await seeded.client`SELECT count(*)::int AS open FROM events WHERE NOT is_tagged`
      return row?.['open'] === 0
    }, 'no event waits for its tags')
    for (const { id, tagged } of events) {
      await seeded.client`DELETE FROM event_downloads WHERE event_id = ${id} AND is_automatic`
      expect(
        (
          await seeded.client`
        SELECT 1 FROM event_downloads JOIN downloads d ON d.id = download_id
        WHERE event_id = ${id} AND NOT is_prefill`
        ).length,
      ).toBe(tagged.length)
    }
    app.deps.groups.downloads.reports.dropAll()
  }, 180_000)

  test('have the figures of a count that shares nothing with the reports', async () => {
    for (const { id, start, end, tagged } of events) {
      const report = await reportOf(id)
      expect(report).toMatchObject({
        id,
        startTimeUtc: iso(start),
        endTimeUtc: iso(end),
        totals: {
          ...sumsOf(tagged),
          cacheHitRatio: bytes(tagged) === 0 ? 0 : sum(tagged, 'hitBytes') / bytes(tagged),
          downloads: tagged.length,
          clients: new Set(tagged.map(({ client }) => client)).size,
        },
      })
      const devices = [...grouped(tagged, ({ client }) => client)]
        .map(([address, rows]) => ({ address, ...sumsOf(rows), downloads: rows.length }))
        .sort((a, b) => b.servedBytes - a.servedBytes || (a.address < b.address ? -1 : 1))
      expect(report.topDevices).toEqual(
        devices.slice(0, 10).map((device) => ({ name: null, ...device })),
      )
      const inside = inBuckets(
        seeded.all.filter(({ isPrefill }) => !isPrefill),
        start,
        Math.min(end, now),
      )
      expect(added(report.series)).toEqual({
        hitBytes: sum(inside, 'hitBytes'),
        missBytes: sum(inside, 'missBytes'),
      })
      const step = end - start > 92 * 24 * hour ? 60 : end - start > 14 * 24 * hour ? 5 : 1
      expect(report.busiest?.minutes ?? step).toBe(step)
      if (step > 1) {
        // Those of the seeded history have all of their bytes in the five minutes in which they begin.
        const places = grouped(inside, ({ startedAt }) =>
          String(Math.floor(startedAt / (step * 60)) * step * 60),
        )
        const most = Math.max(...[...places.values()].map(bytes))
        expect(report.busiest?.servedBytes).toBe(most)
      }
      const width = report.bucketMinutes * 60
      const starts = report.series.map(({ startTimeUtc }) => Date.parse(startTimeUtc) / 1000)
      expect(starts).toEqual(starts.map((_, n) => Math.floor(start / width) * width + n * width))
      expect(starts.at(-1)).toBe(Math.floor(Math.min(end, now) / width) * width)
    }
  })

  test('have the figures of the event’s page and of the range’s report', async () => {
    for (const { id, start, end } of events) {
      const report = await reportOf(id)
      const batch = await app.read(`/api/dashboard/batch?eventId=${id}`)
      const ofRange = await app.read(`/api/stats/dashboard?startTime=${start}&endTime=${end}`)
      const summary: DownloadsSummary = await app.read(`/api/ext/downloads/summary?EventId=${id}`)
      const { totals } = report
      expect(batch.dashboard).toMatchObject({
        uniqueClients: totals.clients,
        period: {
          bandwidthSaved: totals.hitBytes,
          addedToCache: totals.missBytes,
          totalServed: totals.servedBytes,
          hitRatio: totals.cacheHitRatio,
          downloads: totals.downloads,
        },
      })
      expect(summary.totals).toMatchObject(sumsIn(totals))
      expect(summary.games).toBe(totals.games)
      expect(report.topGames).toMatchObject(
        summary.topGames.map(({ gameId, hitBytes, missBytes }) => ({
          gameId,
          hitBytes,
          missBytes,
        })),
      )
      expect(added(report.series)).toEqual({
        hitBytes: ofRange.period.bandwidthSaved,
        missBytes: ofRange.period.addedToCache,
      })
    }
  })

  test('are compared with the one that began before, with its own figures', async () => {
    const byStart = events.toSorted((a, b) => a.start - b.start)
    for (const [place, { id }] of byStart.entries()) {
      const before = byStart[place - 1]
      const { previous } = await reportOf(id)
      if (before === undefined) {
        expect(previous).toBeNull()
        continue
      }
      const own = await reportOf(before.id)
      expect(own).toMatchObject({ ...previous })
      expect(Object.keys(previous ?? {})).toContain('busiest')
      expect(previous?.id).toBe(before.id)
    }
  })

  test('an event that is not there is missing', async () => {
    expect((await app.send('GET', '/api/ext/events/99999/report', 'guest')).status).toBe(404)
  })
})

const sumsIn = ({ hitBytes, missBytes, servedBytes }: EventReport['totals']) => ({
  hitBytes,
  missBytes,
  servedBytes,
})

interface Line {
  at: number
  client: string
  depot: number
  bytes: number
  isHit: boolean
}

/** Requests around an event. Those of a client and depot within five minutes are in one minute. */
function randomLines(random: ReturnType<typeof seededRandom>, from: number, to: number): Line[] {
  const lines: Line[] = []
  for (let n = 0; n < 3000; n++) {
    const bucket = Math.floor(random.between(from, to) / 300) * 300
    const [client, depot] = [random.between(1, 7), random.between(1, 4)]
    const minute = (bucket / 300 + 3 * client + depot) % 5
    lines.push({
      at: bucket + minute * 60 + random.between(0, 59),
      client: `10.0.0.${client}`,
      depot: 700 + depot,
      bytes: random.between(1, 1_048_576),
      isHit: random.between(1, 3) > 1,
    })
  }
  return lines.sort((a, b) => a.at - b.at)
}

/** Requests of a client for a depot, cut where five minutes pass without one. */
function downloadsOf(lines: readonly Line[]): Line[][] {
  const open = new Map<string, Line[]>()
  const all: Line[][] = []
  for (const line of lines) {
    const key = `${line.client} ${line.depot}`
    const last = open.get(key)
    if (last !== undefined && line.at - (last.at(-1)?.at ?? 0) <= 300) last.push(line)
    else {
      const begun = [line]
      open.set(key, begun)
      all.push(begun)
    }
  }
  return all
}

function countOf(lines: readonly Line[]) {
  const hitBytes = lines.reduce((all, line) => all + (line.isHit ? line.bytes : 0), 0)
  const missBytes = lines.reduce((all, line) => all + (line.isHit ? 0 : line.bytes), 0)
  return { hitBytes, missBytes, servedBytes: hitBytes + missBytes }
}

describe('an event in a generated log', () => {
  const start = firstSecond + 2 * hour
  const end = start + 3 * hour - 1
  const lines = randomLines(seededRandom(4), start - hour, end + hour)
  const inside = lines.filter(({ at }) => at >= start && at <= end)
  const downloads = downloadsOf(lines).filter(
    ([first]) => first !== undefined && first.at >= start && first.at <= end,
  )
  let app: TestApp
  let owner: Browser
  let eventId = 0
  let report: EventReport

  const read = async <T>(answer: Response): Promise<T> => JSON.parse(await answer.text())

  /** The report as the holder of a link sees it. */
  async function shared(showsNames: boolean): Promise<EventReport> {
    const subject = String(eventId)
    const wanted = { page: 'report', subject, label: '', hours: 1, showsNames } as const
    const { token } = app.control.links.create(wanted, null)
    const headers = { 'X-Share-Link': token }
    return read(await new Browser(app).get(`/api/ext/events/${eventId}/report`, { headers }))
  }

  beforeAll(async () => {
    app = await testApp({ history: await freshHistory(), isIngesting: true })
    app.logs.historyReady(app.history.connection())
    owner = await signInOwner(app)
    const text = lines.map(({ at, client, depot, bytes: size, isHit }) =>
      logLine({
        at,
        client,
        bytes: size,
        cache: isHit ? 'HIT' : 'MISS',
        path: `/depot/${depot}/chunk/${'ab'.repeat(20)}`,
      }),
    )
    writeFileSync(join(app.root, 'logs', 'access.log'), text.join(''))
    const served = async () => {
      const { totalServed } = await read<{ totalServed: number }>(
        await owner.get('/api/stats/dashboard'),
      )
      return totalServed === countOf(lines).servedBytes
    }
    await eventually(served, 'the history has every line')
    const group = { nickname: 'Ada', initialIps: ['10.0.0.1'] }
    expect((await owner.post('/api/client-groups', group)).ok).toBe(true)
    const event = { name: 'LAN party', startTime: start, endTime: end }
    eventId = (await read<{ id: number }>(await owner.post('/api/events', event))).id
    await eventually(async () => {
      report = await read(await owner.get(`/api/ext/events/${eventId}/report`))
      return report.totals.downloads === downloads.length
    }, 'every download that began in the event has its tag')
  }, 180_000)

  test('has the totals of the log', () => {
    expect(downloads.length).toBeGreaterThan(50)
    expect(report.totals).toMatchObject({
      ...countOf(downloads.flat()),
      clients: new Set(downloads.map(([first]) => first?.client)).size,
    })
    expect(report.previous).toBeNull()
  })

  test('has its devices', () => {
    const clients = [...new Set(downloads.map(([first]) => first?.client ?? ''))]
    const wanted = clients.map((address) => {
      const own = downloads.filter(([first]) => first?.client === address)
      const name = address === '10.0.0.1' ? 'Ada' : null
      return { name, address, ...countOf(own.flat()), downloads: own.length }
    })
    expect(report.topDevices).toEqual(wanted.sort((a, b) => b.servedBytes - a.servedBytes))
  })

  test('has its throughput, and the minute with the most bytes', () => {
    expect(report.bucketMinutes).toBe(2)
    for (const { startTimeUtc, ...point } of report.series) {
      const at = Date.parse(startTimeUtc) / 1000
      expect([at, point]).toEqual([
        at,
        countOf(inside.filter((line) => line.at >= at && line.at < at + 120)),
      ])
    }
    expect(added(report.series)).toMatchObject({ hitBytes: countOf(inside).hitBytes })
    const minutes = new Map<number, Line[]>()
    for (const line of inside) {
      const minute = Math.floor(line.at / 60) * 60
      minutes.set(minute, [...(minutes.get(minute) ?? []), line])
    }
    const [at, most] = [...minutes]
      .map(([minute, own]) => [minute, countOf(own)] as const)
      .reduce((best, next) => (next[1].servedBytes > best[1].servedBytes ? next : best))
    expect(report.busiest).toEqual({ startTimeUtc: iso(at), minutes: 1, ...most })
  })

  test('shows a link the same, without addresses, and names only where the host allows it', async () => {
    const anonymous = report.topDevices.map((device) => ({ ...device, name: null, address: null }))
    const named = report.topDevices.map((device) => ({ ...device, address: null }))
    const [without, withNames] = [await shared(false), await shared(true)]
    const { createdAtUtc: _, ...rest } = report
    expect(without).toMatchObject({ ...rest, topDevices: anonymous })
    expect(without.topDevices).toEqual(anonymous)
    expect(withNames.topDevices).toEqual(named)
    expect(named.map(({ name }) => name)).toContain('Ada')
    expect(JSON.stringify(withNames)).not.toContain('10.0.0.')
    expect(JSON.stringify(without)).not.toContain('Ada')
  })
})
