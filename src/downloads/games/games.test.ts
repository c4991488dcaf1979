import { afterEach, describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import {
  begun,
  bytes,
  grouped,
  inBuckets,
  seededReport,
  seededUntil,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'

const end = Date.parse(seededUntil) / 1000
const hidden = '10.0.0.12'
const excluded = '10.0.1.15'

const seeded = await seededReport(10_000)
// Two depots of one game, and unnamed titles.
await seeded.client`UPDATE titles SET game_app_id = 1000 WHERE title_key IN (
  SELECT title_key FROM titles WHERE title_key LIKE 'alpha:%' ORDER BY title_key LIMIT 2)`
await seeded.client`UPDATE titles SET game_name = NULL WHERE title_key LIKE 'delta:game-2%'`
const names = await seeded.client<{ key: string; name: string | null; app: number | null }[]>`
  SELECT title_key AS key, game_name AS name, game_app_id::float8 AS app FROM titles`
const byKey = new Map(names.map((row) => [row.key, row]))
const clientDownloads = seeded.all
  .filter(({ isPrefill }) => !isPrefill)
  .map((row) => ({
    ...row,
    gameName: byKey.get(row.titleKey)?.name ?? null,
    appId: byKey.get(row.titleKey)?.app ?? null,
  }))
const app = await reportApp({ history: seeded.history, now: seededUntil })
afterEach(() => app.send('PUT', '/api/stats/exclusions', 'user', { rules: [] }))

const excludeClients = () =>
  app.send('PUT', '/api/stats/exclusions', 'user', {
    rules: [
      { ip: hidden, mode: 'hide' },
      { ip: excluded, mode: 'exclude' },
    ],
  })

const folded = ({ service }: PlainDownload) => (service === 'xboxlive' ? 'xbox' : service)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const first = (rows: PlainDownload[]) => iso(Math.min(...rows.map(({ startedAt }) => startedAt)))
const last = (rows: PlainDownload[]) => iso(Math.max(...rows.map(({ endedAt }) => endedAt)))

const gameId = (row: PlainDownload): string => {
  if (row.appId !== null) return `app-${row.appId}`
  return row.gameName === null ? 'unknown' : `name-${row.gameName.toLowerCase()}`
}

const totals = (rows: PlainDownload[]) => ({
  hitBytes: sum(rows, 'hitBytes'),
  missBytes: sum(rows, 'missBytes'),
  servedBytes: bytes(rows),
  cacheHitRatio: bytes(rows) === 0 ? 0 : sum(rows, 'hitBytes') / bytes(rows),
  downloads: rows.length,
})

const ranked = (rows: PlainDownload[], key: (row: PlainDownload) => string) =>
  [...grouped(rows, key)].sort((a, b) => bytes(b[1]) - bytes(a[1]) || (a[0] < b[0] ? -1 : 1))

const topClients = (clients: ReturnType<typeof ranked>) =>
  clients.slice(0, 10).map(([clientIp, own]) => ({
    clientIp,
    displayName: null,
    groupId: null,
    ...totals(own),
    lastSeenUtc: last(own),
  }))

const games = (): [string, string, (row: PlainDownload) => boolean][] => [
  ['app id', '/steam/1000', (row) => row.appId === 1000],
  ['app id, written out', '/steam/app-1000', (row) => row.appId === 1000],
  ['nobody could name', '/riot/unknown', (row) => row.service === 'riot' && row.gameName === null],
  ['without titles', '/wsus/unknown', (row) => row.service === 'wsus'],
]

/** A title that has a name. */
const byName = (service: string, folder: string): ReturnType<typeof games>[number] => {
  const found = clientDownloads.find((row) => row.service === service && row.gameName !== null)
  const name = found?.gameName ?? ''
  // Letter case is ignored.
  const path = `/${folder}/${encodeURIComponent(name.toUpperCase())}`
  return ['name', path, (row) => row.gameName === name && row.service === service]
}

describe('a game', () => {
  test.each(['none', 'excluded'])('all kinds of keys, clients %s', async (rule) => {
    if (rule === 'excluded') await excludeClients()
    const counted = clientDownloads.filter(
      ({ client }) => rule === 'none' || (client !== hidden && client !== excluded),
    )
    const own = [byName('xboxlive', 'xbox'), byName('blizzard', 'blizzard')]
    for (const [, path, isOfGame] of [...games(), ...own]) {
      const rows = counted.filter(isOfGame)
      if (rows.length === 0) {
        expect((await app.send('GET', `/api/ext/games${path}`, 'guest')).status).toBe(404)
        continue
      }
      const answer = await app.read(`/api/ext/games${path}`)
      expect(answer.totals).toEqual(totals(rows))
      expect([answer.firstSeenUtc, answer.lastSeenUtc]).toEqual([first(rows), last(rows)])
      expect(answer.gameId).toBe(rows[0] === undefined ? '' : gameId(rows[0]))
      const clients = ranked(rows, ({ client }) => client)
      expect(answer.clients).toBe(clients.length)
      expect(answer.topClients).toEqual(topClients(clients))
      const depots = ranked(rows, ({ titleKey }) => titleKey)
      expect(answer.depots).toHaveLength(Math.min(100, depots.length))
      expect(answer.depots[0]).toMatchObject({
        titleKey: depots[0]?.[0] ?? '',
        ...totals(depots[0]?.[1] ?? []),
      })
    }
  })

  test('has the rows that the downloads filter finds', async () => {
    const ended = clientDownloads.filter((row) => row.endedAt <= end - 15)
    const report = await app.read('/api/ext/games/steam/1000')
    expect(report.filter).toBe('steam:app-1000')
    expect(report.depots).toHaveLength(2)
    for (const [game, isOfGame] of [
      ['steam:1000', (row: PlainDownload) => row.appId === 1000],
      [report.filter, (row: PlainDownload) => row.appId === 1000],
      ['steam-app-1000', (row: PlainDownload) => row.appId === 1000],
      ['riot:unknown', (row: PlainDownload) => row.service === 'riot' && row.gameName === null],
      ['wsus-unknown', (row: PlainDownload) => row.service === 'wsus'],
      ['steam:no such game', () => false],
    ] as const) {
      const rows = ended.filter(isOfGame)
      for (const view of [
        '',
        '&GroupByGame=true',
        '&GroupByService=true',
        '&Page=3',
        '&Sort=alphabetical',
      ]) {
        const path = `/api/downloads/retro?Game=${encodeURIComponent(game)}&PageSize=200${view}`
        const answer = await app.read(path)
        const keys = new Set(
          rows.map((row) =>
            row.depotId === null ? String(row.id) : `${row.depotId} ${row.client}`,
          ),
        )
        const merged = Math.min(1, rows.length)
        expect(answer.totalItems).toBe(view.startsWith('&Group') ? merged : keys.size)
        if (!view.startsWith('&Group')) continue
        const ids: number[] = answer.items[0]?.downloadIds ?? []
        const newest = rows.toSorted((a, b) => b.endedAt - a.endedAt || b.id - a.id).slice(0, 100)
        expect(ids).toEqual(newest.map(({ id }) => id))
      }
    }
    const both = await app.read('/api/downloads/retro?Game=steam:1000&Service=riot')
    expect(both.totalItems).toBe(0)
    const response = await app.send('GET', '/api/downloads/retro?Game=doom', 'guest')
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'A game must be given as <service>:<app id, beta id or name>' },
    ])
  })

  test.each([
    ['an evening', '2026-11-20T17:42:11Z', '2026-11-20T23:05:00Z', 30],
    ['a month', '2026-02-03T11:11:11Z', '2026-03-05T10:10:10Z', 180],
    ['half a year', '2026-05-01T00:00:00Z', '2026-11-01T00:00:00Z', 1440],
  ])('traffic of %s', async (_name, from, until, minutes) => {
    const [start, stop] = [Date.parse(from) / 1000, Date.parse(until) / 1000]
    const path = `/api/ext/games/steam/1000/traffic?startTime=${start}&endTime=${stop}`
    for (const query of ['', `&bucketMinutes=${minutes}`]) {
      const rows = inBuckets(clientDownloads, start, stop).filter(({ appId }) => appId === 1000)
      const answer = await app.read(`${path}${query}`)
      const { length: downloads } = begun(rows, start, stop)
      expect(answer.totals).toEqual({ ...totals(rows), downloads })
      if (query !== '') expect(answer.bucketMinutes).toBe(minutes)
      const width = answer.bucketMinutes * 60
      const byBucket = grouped(rows, ({ startedAt }) => iso(Math.floor(startedAt / width) * width))
      for (const point of answer.series) {
        expect(point.servedBytes).toBe(bytes(byBucket.get(point.startTimeUtc) ?? []))
        expect(point.hitBytes + point.missBytes).toBe(point.servedBytes)
      }
      const shown = answer.series.map(({ startTimeUtc }: { startTimeUtc: string }) => startTimeUtc)
      expect([...byBucket.keys()].filter((at) => !shown.includes(at))).toEqual([])
    }
  })

  test('explains invalid requests', async () => {
    const refusal = async (path: string) => {
      const response = await app.send('GET', `/api/ext/games${path}`, 'guest')
      return [response.status, await response.json()] as const
    }
    const traffic = '/steam/1000/traffic?startTime=0&endTime=31536000'
    expect(await refusal(`${traffic}&bucketMinutes=5`)).toMatchObject([
      400,
      { error: expect.stringContaining('1000 points') },
    ])
    expect(await refusal(`${traffic}&bucketMinutes=7`)).toMatchObject([
      400,
      { error: expect.stringContaining('multiple') },
    ])
    expect(await refusal('/steam/4711')).toEqual([
      404,
      { error: 'No downloads of this game were found' },
    ])
    expect((await refusal('/steam/1000/traffic?startTime=5&endTime=1'))[0]).toBe(400)
  })
})

describe('a client', () => {
  test.each([
    ['UTC', 0],
    ['Asia/Kolkata', 5.5],
  ])('in %s', async (zone, hours) => {
    const other = await reportApp({
      history: seeded.history,
      now: seededUntil,
      environment: { TZ: zone },
    })
    for (const client of ['10.0.0.11', excluded]) {
      await other.send('PUT', '/api/stats/exclusions', 'user', {
        rules: [{ ip: excluded, mode: 'exclude' }],
      })
      const rows = clientDownloads.filter((row) => row.client === client)
      const answer = await other.read(`/api/ext/clients/${client}`, 'user')
      expect(answer.totals).toEqual(totals(rows))
      expect(answer.isExcluded).toBe(client === excluded)
      expect([answer.firstSeenUtc, answer.lastSeenUtc]).toEqual([first(rows), last(rows)])
      const byHour = grouped(rows, ({ startedAt }) =>
        String(Math.floor((startedAt / 3600 + hours) % 24)),
      )
      for (const item of answer.hoursOfDay) {
        const own = byHour.get(String(item.hour)) ?? []
        expect(item).toMatchObject({ downloads: own.length, servedBytes: bytes(own) })
      }
      expect(answer.hoursOfDay).toHaveLength(24)
      const byGame = ranked(rows, (row) => `${folded(row)} ${gameId(row)}`)
      expect(answer.games).toBe(byGame.filter(([key]) => !key.endsWith(' unknown')).length)
      expect(
        answer.topGames.map((game: { service: string; gameId: string; servedBytes: number }) => [
          `${game.service} ${game.gameId}`,
          game.servedBytes,
        ]),
      ).toEqual(byGame.slice(0, 10).map(([key, own]) => [key, bytes(own)]))
      const days = grouped(rows, ({ startedAt }) => iso(Math.floor(startedAt / 86_400) * 86_400))
      expect(answer.recent.series).toHaveLength(30)
      for (const point of answer.recent.series) {
        expect(point.servedBytes).toBe(bytes(days.get(point.startTimeUtc) ?? []))
      }
    }
    await other.stop()
  })

  test('that is hidden, unknown or not an address', async () => {
    await excludeClients()
    for (const [client, status] of [
      [hidden, 404],
      ['10.9.9.9', 404],
      ['somebody', 400],
    ] as const) {
      expect((await app.send('GET', `/api/ext/clients/${client}`, 'user')).status).toBe(status)
    }
  })
})

test('a service includes all of its names, without excluded clients', async () => {
  await excludeClients()
  const rows = clientDownloads.filter(
    (row) => folded(row) === 'xbox' && row.client !== hidden && row.client !== excluded,
  )
  for (const name of ['xbox', 'xboxlive', 'XBOX']) {
    const answer = await app.read(`/api/ext/services/${name}`)
    expect(answer.totals).toEqual(totals(rows))
    expect(answer.names).toContain('xboxlive')
    expect(answer.clients).toBe(new Set(rows.map(({ client }) => client)).size)
    const days = grouped(rows, ({ startedAt }) => iso(Math.floor(startedAt / 86_400) * 86_400))
    for (const point of answer.recent.series) {
      expect(point.servedBytes).toBe(bytes(days.get(point.startTimeUtc) ?? []))
    }
    expect(answer.topClients.map(({ clientIp }: { clientIp: string }) => clientIp)).toEqual(
      ranked(rows, ({ client }) => client)
        .slice(0, 10)
        .map(([client]) => client),
    )
  }
  expect((await app.send('GET', '/api/ext/services/gog', 'guest')).status).toBe(404)
})

describe('a range', () => {
  const from = Date.parse('2026-05-01T10:07:00Z') / 1000
  const until = Date.parse('2026-05-20T21:00:00Z') / 1000
  const range = `startTime=${from}&endTime=${until}`
  const times = `StartTime=${from}&EndTime=${until}`

  test.each([
    ['', (_row: PlainDownload) => true],
    ['&Client=10.0.0.11', (row: PlainDownload) => row.client === '10.0.0.11'],
    [`&Client=${excluded}`, (row: PlainDownload) => row.client === excluded],
    ['&Service=xbox', (row: PlainDownload) => folded(row) === 'xbox'],
    ['&Game=steam:1000', (row: PlainDownload) => row.appId === 1000],
    ['&Search=riot', (row: PlainDownload) => /riot/i.test(`${row.service} ${row.gameName}`)],
    [
      '&Service=riot&HitMiss=miss',
      ({ service, hitBytes, missBytes }: PlainDownload) =>
        service === 'riot' && (hitBytes < missBytes || hitBytes === 0),
    ],
  ])('the sums of a view: "%s"', async (filter, isAsked) => {
    await excludeClients()
    const isCounted = ({ client }: PlainDownload) =>
      client !== hidden && (client !== excluded || filter.includes('Client'))
    const rows = begun(clientDownloads, from, until).filter((row) => isCounted(row) && isAsked(row))
    expect(rows.length).toBeGreaterThan(0)
    const answer = await app.read(`/api/ext/downloads/summary?${times}${filter}`)
    expect(answer.totals).toEqual(totals(rows))
    const clients = ranked(rows, ({ client }) => client)
    expect(answer.clients).toBe(clients.length)
    expect(answer.topClients).toEqual(topClients(clients))
    const games = ranked(rows, (row) => `${folded(row)} ${gameId(row)}`)
    expect(answer.games).toBe(games.filter(([key]) => !key.endsWith(' unknown')).length)
    const shown: { service: string; gameId: string; servedBytes: number }[] = answer.topGames
    expect(shown.map((game) => [`${game.service} ${game.gameId}`, game.servedBytes])).toEqual(
      games.slice(0, 10).map(([key, own]) => [key, bytes(own)]),
    )
    expect(answer.depots).toBe(grouped(rows, ({ titleKey }) => titleKey).size)
    expect(answer.topDepots[0]?.servedBytes).toBe(
      bytes(ranked(rows, ({ titleKey }) => titleKey)[0]?.[1] ?? []),
    )
  })

  test.each([
    ['/api/ext/clients/10.0.0.11', ({ client }: PlainDownload) => client === '10.0.0.11'],
    ['/api/ext/services/xboxlive', (row: PlainDownload) => folded(row) === 'xbox'],
  ])('traffic: %s', async (path, isOwn) => {
    const rows = inBuckets(clientDownloads, from, until).filter(isOwn)
    const answer = await app.read(`${path}/traffic?${range}`, 'user')
    const { length: downloads } = begun(rows, from, until)
    expect(answer.totals).toEqual({ ...totals(rows), downloads })
    const served = (points: { servedBytes: number }[]) =>
      points.reduce((all, point) => all + point.servedBytes, 0)
    expect(served(answer.series)).toBe(bytes(rows))
    expect(answer.bucketMinutes).toBe(180)
    if (answer.hoursOfDay !== undefined) expect(served(answer.hoursOfDay)).toBe(bytes(rows))
  })

  test('the sessions of a row, newest first, without hidden clients and unknown ids', async () => {
    await excludeClients()
    const own = clientDownloads.filter(({ client }) => client !== hidden).slice(0, 12)
    const other = clientDownloads.find(({ client }) => client === hidden)
    const ids = [...own.map(({ id }) => id), other?.id ?? 0, 999_999_999].join(',')
    const answer = await app.read(`/api/ext/downloads?ids=${ids}`)
    const newest = own.toSorted((a, b) => b.startedAt - a.startedAt || b.id - a.id)
    expect(answer.items.map(({ id }: { id: number }) => id)).toEqual(newest.map(({ id }) => id))
    const refused = await app.send('GET', '/api/ext/downloads?ids=1,x', 'guest')
    expect(refused.status).toBe(400)
  })

  test('an empty view has no sums, an unknown event none at all', async () => {
    const answer = await app.read('/api/ext/downloads/summary?Client=10.9.9.9')
    expect(answer).toMatchObject({ totals: { servedBytes: 0, downloads: 0 }, clients: 0, games: 0 })
    const refused = ['downloads/summary?EventId=99', 'services/riot/traffic?eventId=99']
    for (const path of refused) {
      expect((await app.send('GET', `/api/ext/${path}`, 'user')).status).toBe(404)
    }
  })
})

// Last: it deletes downloads.
test('sums stay what was served when a removal deletes the downloads', async () => {
  const client = '10.0.0.11'
  const own = clientDownloads.filter((row) => row.client === client)
  const game = clientDownloads.filter(({ appId }) => appId === 1000)
  await seeded.client`DELETE FROM downloads WHERE client = ${client} OR title_key IN (
    SELECT title_key FROM titles WHERE game_app_id = 1000)`
  const fresh = await reportApp({ history: seeded.history, now: seededUntil })
  const report = await fresh.read(`/api/ext/clients/${client}`, 'user')
  expect(report).toMatchObject({ totals: totals(own), averageBytesPerSecond: 0, topGames: [] })
  expect([report.firstSeenUtc, report.lastSeenUtc]).toEqual([first(own), last(own)])
  const removed = await fresh.read('/api/ext/games/steam/1000')
  expect(removed).toMatchObject({ gameAppId: 1000, totals: totals(game), clients: 0, depots: [] })
  expect((await fresh.read('/api/ext/games/steam/1000/traffic')).totals).toEqual(removed.totals)

  // A view lists what is left; its clients were last seen with that.
  const newest = [...grouped(clientDownloads, (row) => row.client).values()].map((rows) =>
    rows.reduce((latest, row) => (row.endedAt > latest.endedAt ? row : latest)),
  )
  await seeded.client`DELETE FROM downloads WHERE id = ANY(${newest.map(({ id }) => id)}::bigint[])`
  const gone = new Set([...own, ...game, ...newest])
  const left = clientDownloads.filter((row) => !gone.has(row))
  const summary = await fresh.read('/api/ext/downloads/summary')
  expect(summary.totals).toEqual(totals(left))
  expect(summary.topClients).toEqual(topClients(ranked(left, (row) => row.client)))
  await fresh.stop()
})
