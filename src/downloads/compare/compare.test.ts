import { afterEach, describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import {
  bytes,
  grouped,
  seededReport,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'

const events: { id: number; startsAt: number; endsAt: number; tagged: number[] }[] = []
const end = Date.parse(seededUntil) / 1000
const hidden = '10.0.0.12'

/** An event tagged with every download that began inside it, and one from long before. */
async function addEvent(startsAt: number, endsAt: number): Promise<void> {
  const response = await app.send('POST', '/api/events', 'user', {
    name: `Party ${events.length}`,
    startTime: startsAt,
    endTime: endsAt,
    colorIndex: 1 + events.length,
  })
  const { id }: { id: number } = JSON.parse(await response.text())
  const inside = seeded.all.filter((row) => row.startedAt >= startsAt && row.startedAt <= endsAt)
  const tagged = [5, ...inside.map((row) => row.id)]
  await seeded.client`
    INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
    SELECT ${id}::bigint, unnest(${tagged}::bigint[]), now(), false, false
    ON CONFLICT DO NOTHING`
  const [removed] = tagged.splice(3, 1)
  await seeded.client`
    UPDATE event_downloads SET is_removed = true
    WHERE event_id = ${id} AND download_id = ${removed ?? 0}`
  events.push({ id, startsAt, endsAt, tagged })
}

const seeded = await seededReport(10_000)
const app = await reportApp({ history: seeded.history, now: seededUntil })
await addEvent(end - 40 * 86_400 + 77, end - 38 * 86_400)
await addEvent(end - 20 * 86_400, end - 20 * 86_400 + 7200)
// Still running.
await addEvent(end - 86_400, end + 86_400)
afterEach(() => app.send('PUT', '/api/stats/exclusions', 'user', { rules: [] }))

const gameOf = (row: PlainDownload) =>
  `${row.service === 'xboxlive' ? 'xbox' : row.service} ${row.gameName ?? ''}`

describe('events by elapsed time', () => {
  test.each([
    ['as they are', '', false, 20],
    ['in wide buckets', '&bucketMinutes=1440', false, 1440],
    ['without a hidden client', '&bucketMinutes=60', true, 60],
    ['with prefill', '&includePrefill=true&bucketMinutes=240', false, 240],
    ['of a time', `&startTime=${end - 39 * 86_400}`, false, 20],
  ])('%s', async (_name, query, isHiding, minutes) => {
    if (isHiding) {
      const rules = [{ ip: hidden, mode: 'hide' }]
      await app.send('PUT', '/api/stats/exclusions', 'user', { rules })
    }
    const ids = events.map(({ id }) => id).join(',')
    const answer = await app.read(`/api/ext/events/compare?ids=${ids}${query}`)
    expect(answer.bucketMinutes).toBe(minutes)
    expect(answer.events).toHaveLength(3)
    for (const [index, event] of events.entries()) {
      const own = answer.events[index]
      const rows = seeded.all.filter(
        (row) =>
          event.tagged.includes(row.id) &&
          (query.includes('includePrefill') || !row.isPrefill) &&
          (!isHiding || row.client !== hidden) &&
          (!query.includes('startTime') || row.startedAt >= end - 39 * 86_400),
      )
      expect(own).toMatchObject({
        id: event.id,
        name: `Party ${index}`,
        colorIndex: index + 1,
        startTimeUtc: new Date(event.startsAt * 1000).toISOString(),
        durationSeconds: event.endsAt - event.startsAt,
        totals: {
          hitBytes: sum(rows, 'hitBytes'),
          missBytes: sum(rows, 'missBytes'),
          servedBytes: bytes(rows),
          cacheHitRatio: bytes(rows) === 0 ? 0 : sum(rows, 'hitBytes') / bytes(rows),
          downloads: rows.length,
          clients: new Set(rows.map(({ client }) => client)).size,
          games: new Set(rows.filter(({ gameName }) => gameName !== null).map(gameOf)).size,
        },
      })
      const top = [...grouped(rows, gameOf)].sort((a, b) => bytes(b[1]) - bytes(a[1])).slice(0, 5)
      expect(own.topGames).toEqual(
        top.map(([key, members]) => ({
          gameName: members[0]?.gameName ?? null,
          service: key.split(' ')[0] ?? '',
          bytes: bytes(members),
        })),
      )
      const width = minutes * 60
      const inside = rows.filter((row) => row.startedAt >= event.startsAt)
      const byBucket = grouped(inside, ({ startedAt }) =>
        String(Math.floor((startedAt - event.startsAt) / width) * width),
      )
      for (const [place, point] of own.series.entries()) {
        expect(point.elapsedSeconds).toBe(place * width)
        expect(point.servedBytes).toBe(bytes(byBucket.get(String(point.elapsedSeconds)) ?? []))
        expect(point.hitBytes + point.missBytes).toBe(point.servedBytes)
      }
      const reached = Math.min(event.endsAt, end) - event.startsAt
      expect(own.series).toHaveLength(Math.floor(reached / width) + 1)
    }
  })

  test('a changed event shows immediately', async () => {
    const [one, two] = events
    const path = `/api/ext/events/compare?ids=${one?.id},${two?.id}`
    await app.read(path)
    await app.send('PUT', `/api/events/${two?.id}`, 'user', {
      name: 'Renamed',
      startTime: two?.startsAt,
      endTime: two?.endsAt,
    })
    expect((await app.read(path)).events[1].name).toBe('Renamed')
  })

  test.each([
    ['1', 400, /Between 2 and 6/],
    ['1,2,3,4,5,6,7', 400, /Between 2 and 6/],
    ['1,1', 400, /twice/],
    ['1,x', 400, /list of event ids/],
    ['', 400, /list of event ids/],
    ['1,987654', 404, /Event 987654 not found/],
    ['1,2&bucketMinutes=3', 400, /multiple of 5/],
    ['1,2&startTime=9&endTime=1', 400, /after the end/],
  ])('ids=%s is refused with %d', async (ids, status, reason) => {
    const response = await app.send('GET', `/api/ext/events/compare?ids=${ids}`, 'guest')
    expect(response.status).toBe(status)
    expect(await response.text()).toMatch(reason)
  })
})
