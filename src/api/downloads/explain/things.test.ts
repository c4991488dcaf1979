import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { reportApp, type ReportApp } from '../../../../test/support/report-app.ts'
import {
  bytes,
  inBuckets,
  seededReport,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../../../test/support/seeded-report.ts'
import type { Explanation } from './model.ts'

let seeded: Awaited<ReturnType<typeof seededReport>>
let app: ReportApp
const end = Date.parse(seededUntil) / 1000
const hidden = '10.0.0.12'
const excluded = '10.0.1.15'
const evicted = new Set<number>()

beforeAll(async () => {
  // Every third download of the game and of the service lies in the cache no longer.
  seeded = await seededReport(10_000, async (client) => {
    await client`UPDATE titles SET game_app_id = 1000 WHERE title_key IN (
      SELECT title_key FROM titles WHERE title_key LIKE 'alpha:%' ORDER BY title_key LIMIT 2)`
    await client`UPDATE titles SET game_name = NULL WHERE title_key LIKE 'gamma:game-2%'`
    const rows = await client<{ id: number }[]>`
      UPDATE downloads SET is_evicted = true WHERE id % 3 = 0 RETURNING id::float8 AS id`
    for (const { id } of rows) evicted.add(id)
  })
  app = reportApp({ history: seeded.history, now: seededUntil })
}, 60_000)
afterAll(async () => {
  await app.stop()
  await seeded.stop()
})
afterEach(async () => {
  await app.send('PUT', '/api/stats/exclusions', 'user', { rules: [] })
})

const leaveOut = () =>
  app.send('PUT', '/api/stats/exclusions', 'user', {
    rules: [
      { ip: hidden, mode: 'hide' },
      { ip: excluded, mode: 'exclude' },
    ],
  })

const epsilonNames = ['xbox', 'xboxlive', 'microsoft']

interface Thing {
  query: string
  isIn: (row: PlainDownload) => boolean
}

const things: [string, Thing][] = [
  ['game', { query: 'service=steam&game=1000', isIn: ({ appId }) => appId === 1000 }],
  [
    'game',
    {
      query: 'service=riot&game=unknown',
      isIn: ({ service, appId, gameName }) =>
        service === 'riot' && appId === null && gameName === null,
    },
  ],
  ['service', { query: 'service=XBOX', isIn: ({ service }) => epsilonNames.includes(service) }],
  ['service', { query: 'service=steam', isIn: ({ service }) => service === 'steam' }],
]

const explain = (path: string, role?: 'user' | 'guest'): Promise<Explanation> =>
  app.read(`/api/ext/explain/${path}`, role)

const count = (rows: PlainDownload[], isIn: (row: PlainDownload) => boolean) =>
  rows.filter(isIn).length

describe.each(things)('figures of a %s, by hand', (origin, { query, isIn }) => {
  const value = async (name: string, more = '') =>
    (await explain(`${origin}.${name}?${query}${more}`, 'user')).value

  test.each(['', '&includePrefill=true'])(
    'with and without clients and prefill %s',
    async (more) => {
      for (const isLeftOut of [false, true]) {
        if (isLeftOut) await leaveOut()
        const own = seeded.all.filter(isIn)
        const wanted = own.filter(({ isPrefill }) => more !== '' || !isPrefill)
        const rows = wanted.filter(
          ({ client }) => !isLeftOut || (client !== hidden && client !== excluded),
        )
        if (rows.length === 0) throw new Error(`nothing of ${query}`)
        expect(await value('servedBytes', more)).toBe(bytes(rows))
        expect(await value('hitBytes', more)).toBe(sum(rows, 'hitBytes'))
        expect(await value('missBytes', more)).toBe(sum(rows, 'missBytes'))
        expect(await value('cacheHitRatio', more)).toBe(sum(rows, 'hitBytes') / bytes(rows))
        expect(await value('downloads', more)).toBe(rows.length)
        expect(await value('clients', more)).toBe(new Set(rows.map(({ client }) => client)).size)
        if (origin === 'game') {
          expect(await value('evictedDownloads', more)).toBe(
            count(rows, ({ id }) => evicted.has(id)),
          )
        }
        const { excluded: left } = await explain(`${origin}.downloads?${query}${more}`, 'user')
        const reasons = [
          { reason: 'prefill' as const, count: own.length - wanted.length },
          {
            reason: 'hiddenClients' as const,
            count: isLeftOut ? count(wanted, ({ client }) => client === hidden) : 0,
          },
          {
            reason: 'excludedClients' as const,
            count: isLeftOut ? count(wanted, ({ client }) => client === excluded) : 0,
          },
        ]
        expect(left).toEqual(reasons.filter((one) => one.count > 0))
        const asGuest = await explain(`${origin}.downloads?${query}${more}`, 'guest')
        expect(asGuest.value).toBe(rows.length)
        expect(asGuest.excluded).toEqual(left.filter(({ reason }) => reason !== 'hiddenClients'))
      }
    },
  )

  test('examples are its newest downloads; those that lists hide are not among them', async () => {
    await leaveOut()
    const rows = seeded.all
      .filter(
        (row) => isIn(row) && !row.isPrefill && row.client !== hidden && row.client !== excluded,
      )
      .sort((a, b) => b.endedAt - a.endedAt || b.id - a.id)
    const ids = async () =>
      (await explain(`${origin}.downloads?${query}`, 'guest')).rows.map((row) => row.downloadId)
    expect(await ids()).toEqual(rows.slice(0, 20).map(({ id }) => id))
    app.deps.settings.set('eviction.mode', 'hide')
    const shown = rows.filter(({ id }) => !evicted.has(id))
    expect(await ids()).toEqual(shown.slice(0, 20).map(({ id }) => id))
    // Sums tell what was served, whatever happened to the files since.
    expect(await value('downloads')).toBe(rows.length)
    app.deps.settings.set('eviction.mode', 'show')
  })

  test('a range changes nothing', async () => {
    const range = `&startTime=${end - 7 * 86_400}&endTime=${end}`
    expect(await value('servedBytes', range)).toBe(await value('servedBytes'))
    const { range: over } = await explain(`${origin}.servedBytes?${query}${range}`, 'user')
    expect(over).toEqual({ kind: 'allTime', startTimeUtc: null, endTimeUtc: null, eventId: null })
  })
})

test('figures of a client in a range, by hand', async () => {
  const [start, stop] = [end - 90 * 86_400, end - 86_400]
  const own = seeded.all.filter(({ client }) => client === excluded)
  const within = inBuckets(own, start, stop)
  const rows = within.filter(({ isPrefill }) => !isPrefill)
  const of = (name: string) =>
    explain(
      `client.period.${name}?client=::ffff:${excluded}&startTime=${start}&endTime=${stop}`,
      'user',
    )
  // A client that is not counted has figures of its own all the same.
  await leaveOut()
  expect((await of('totalBytes')).value).toBe(bytes(rows))
  const { value, excluded: left, rows: listed } = await of('totalDownloads')
  expect(value).toBe(rows.length)
  expect(left).toEqual([
    { reason: 'outsideRange', count: own.length - within.length },
    { reason: 'prefill', count: within.length - rows.length },
  ])
  const newest = own
    .filter((row) => !row.isPrefill && row.startedAt >= start && row.startedAt <= stop)
    .sort((a, b) => b.endedAt - a.endedAt || b.id - a.id)
  expect(listed.map(({ downloadId }) => downloadId)).toEqual(
    newest.slice(0, 20).map(({ id }) => id),
  )
})
