import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { allRetroPages } from '../../../test/support/retro-pages.ts'
import {
  bytes,
  grouped,
  seededReport,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import type { RetroDownloadDto, RetroPage } from './model.ts'
import { retroSorts } from './retro-query.ts'

const seeded = await seededReport(3000)
const members = seeded.all.filter((row) => !row.isPrefill)
/** Shortly after the last byte of the seeded year, whose download is running. */
const nowSeconds = Math.max(...members.map(({ endedAt }) => endedAt)) + 5
const now = new Date(nowSeconds * 1000).toISOString()
const app = await reportApp({ history: seeded.history, now })

const retro = (query: string): Promise<RetroPage> => app.read(`/api/downloads/retro?${query}`)

const allPages = (query: string) => allRetroPages(app, query)

const secondsOf = (text: string) => Date.parse(text) / 1000
const isRunning = ({ endedAt }: { endedAt: number }) =>
  endedAt > nowSeconds - 15 && endedAt < nowSeconds + 60
const nameOf = (row: PlainDownload) => row.gameName ?? row.service
const rowId = (row: PlainDownload) =>
  row.depotId === null
    ? `no-depot-${row.service}-${row.client}-${row.id}`
    : `depot-${row.depotId}-${row.client}`
const isHit = (rows: PlainDownload[]) =>
  sum(rows, 'hitBytes') > 0 && sum(rows, 'hitBytes') >= sum(rows, 'missBytes')

function expectRow(item: RetroDownloadDto, rows: PlainDownload[]): void {
  const timed = rows.filter((row) => row.endedAt > row.startedAt)
  const weight = timed.reduce(
    (all, row) => all + bytes([row]) ** 2 / (row.endedAt - row.startedAt),
    0,
  )
  const newest = [...rows].sort((a, b) => b.endedAt - a.endedAt || b.id - a.id)
  expect(item.cacheHitBytes).toBe(sum(rows, 'hitBytes'))
  expect(item.cacheMissBytes).toBe(sum(rows, 'missBytes'))
  expect(item.requestCount).toBe(rows.length)
  expect(item.startTimeUtc).toBe(
    new Date(Math.min(...rows.map(({ startedAt }) => startedAt)) * 1000).toISOString(),
  )
  expect(item.endTimeUtc).toBe(new Date((newest[0]?.endedAt ?? 0) * 1000).toISOString())
  const speed = bytes(timed) === 0 ? 0 : weight / bytes(timed)
  expect(Math.abs(item.averageBytesPerSecond - speed)).toBeLessThanOrEqual(0.5 + speed * 1e-9)
  expect(item.averageBytesPerSecond).toBeInteger()
  expect(item.downloadIds).toEqual(newest.slice(0, 100).map(({ id }) => id))
  expect(item.datasource).toBe('default')
}

function expectRows(items: RetroDownloadDto[], groups: Map<string, PlainDownload[]>): void {
  expect(new Set(items.map(({ id }) => id))).toEqual(new Set(groups.keys()))
  for (const item of items) expectRow(item, groups.get(item.id) ?? [])
}

describe('rows of the retro view', () => {
  test('depots are grouped by client, everything else stays single', async () => {
    const items = await allPages('')
    expectRows(items, grouped(members, rowId))
    const times = items.map(({ endTimeUtc }) => endTimeUtc)
    expect(times).toEqual([...times].sort().toReversed())
  })

  test('running downloads are in their rows, which are marked', async () => {
    const running = members.filter(isRunning)
    expect(running.length).toBeGreaterThan(0)
    for (const merge of ['', 'GroupByGame=true', 'GroupByService=true']) {
      const marked = (await allPages(merge)).filter(({ isActive }) => isActive)
      const ids = marked.flatMap(({ downloadIds }) => downloadIds)
      expect(running.filter(({ id }) => !ids.includes(id))).toEqual([])
      expect(marked.every(({ endTimeUtc }) => isRunning({ endedAt: secondsOf(endTimeUtc) }))).toBe(
        true,
      )
    }
  })

  test('a download that grows while its view is cached stays in the list', async () => {
    const newest = members
      .filter(({ depotId }) => depotId === null)
      .reduce((last, row) => (row.endedAt > last.endedAt ? row : last))
    const ids = async (size: number) => {
      const { items } = await retro(
        `Client=${newest.client}&Service=${newest.service}&PageSize=${size}`,
      )
      return items.flatMap(({ downloadIds }) => downloadIds)
    }
    const grow = (seconds: number) => seeded.client`
      UPDATE downloads SET ended_at = ended_at + make_interval(secs => ${seconds})
      WHERE id = ${newest.id}`
    expect(await ids(10)).toContain(newest.id)
    await grow(60)
    expect(await ids(11)).toContain(newest.id)
    await grow(-60)
  })

  test.each([
    ['Service=epicgames', (row: PlainDownload) => row.service === 'epicgames'],
    ['Service=xbox', (row: PlainDownload) => row.service === 'xboxlive'],
    ['Service=all&Client=ALL', () => true],
    ['Client=10.0.0.12', (row: PlainDownload) => row.client === '10.0.0.12'],
    ['Client=nobody', () => false],
    ['Search=GAME%201', (row: PlainDownload) => nameOf(row).toLowerCase().includes('game 1')],
    ['Search=100%25', () => false],
    ['HideLocalhost=true&HideUnknown=true&ShowZeroBytes=true', () => true],
    [
      'StartTime=1770000000&EndTime=1775000000',
      (row: PlainDownload) => row.startedAt >= 1_770_000_000 && row.startedAt <= 1_775_000_000,
    ],
    [
      'StartTime=1770000000&Service=steam',
      (row: PlainDownload) => row.startedAt >= 1_770_000_000 && row.service === 'steam',
    ],
  ])('filter %s', async (query, keeps) => {
    expectRows(await allPages(query), grouped(members.filter(keeps), rowId))
  })

  test.each(['hit', 'miss'])('rows that are mostly %s', async (word) => {
    const groups = grouped(members, rowId)
    for (const [key, rows] of groups) if (isHit(rows) !== (word === 'hit')) groups.delete(key)
    expectRows(await allPages(`HitMiss=${word}`), groups)
  })

  test('downloads without bytes are shown unless they are left out', async () => {
    const shown = members.filter((row) => bytes([row]) > 0)
    expect(shown.length).toBeLessThan(members.length)
    expectRows(await allPages('ShowZeroBytes=false'), grouped(shown, rowId))
    expectRows(await allPages('ShowZeroBytes=true'), grouped(members, rowId))
    const misses = grouped(shown, rowId)
    for (const [key, rows] of misses) if (isHit(rows)) misses.delete(key)
    expectRows(await allPages('ShowZeroBytes=false&HitMiss=miss'), misses)
  })

  test.each([
    [1_764_000_000, 1_764_000_500],
    [1_764_547_200, 1_765_238_400],
    [1_765_238_399, 1_786_000_000],
    [1_777_000_000, 1_793_530_000],
    [0, 1_770_000_000],
  ])('a range from %d to %d, whatever blocks it is made of', async (start, end) => {
    const inside = members.filter((row) => row.startedAt >= start && row.startedAt <= end)
    const range = `StartTime=${start}&EndTime=${end}`
    expectRows(await allPages(range), grouped(inside, rowId))
    const items = await allPages(`${range}&GroupByGame=true`)
    const games = grouped(inside, gameKey)
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set(games.keys()))
    for (const item of items) expectRow(item, games.get(item.id) ?? [])
  })

  test('prefill only on request', async () => {
    expectRows(await allPages('includePrefill=true'), grouped(seeded.all, rowId))
  })
})

const folded = (service: string) => (service === 'xboxlive' ? 'xbox' : service)
const gameKey = ({ appId, gameName, service }: PlainDownload) => {
  if (appId !== null) return `${folded(service)}-app-${appId}`
  if (gameName !== null) return `${folded(service)}-name-${gameName.toLowerCase()}`
  return `${folded(service)}-unknown`
}

describe('period bounds with few downloads beyond', () => {
  /** Number of downloads before and after the period. */
  test.each([
    [0, 0],
    [0, 5],
    [3, 0],
    [0, 400],
  ])('%d before, %d after', async (before, after) => {
    const inOrder = seeded.all.toSorted((a, b) => a.startedAt - b.startedAt)
    const start = inOrder[before]?.startedAt ?? 0
    const end = inOrder.at(-1 - after)?.startedAt ?? 0
    const inside = members.filter((row) => row.startedAt >= start && row.startedAt <= end)
    expect(inside.length).toBeGreaterThan(2000)
    const period = `StartTime=${start}&EndTime=${end}`
    expectRows(await allPages(period), grouped(inside, rowId))
    for (const item of await allPages(`${period}&GroupByService=true`)) {
      const own = inside.filter(
        ({ service }) => (service === 'xboxlive' ? 'xbox' : service) === item.service,
      )
      expectRow(item, own)
    }
  })

  test('the period may be long ago', async () => {
    const [start, end] = [1_770_000_000, 1_775_000_000]
    const inside = members.filter((row) => row.startedAt >= start && row.startedAt <= end)
    for (const sort of ['latest', 'oldest', 'largest', 'efficiency', 'service']) {
      const items = await allPages(`StartTime=${start}&EndTime=${end}&Sort=${sort}`)
      expectRows(items, grouped(inside, rowId))
    }
  })
})

describe('merged rows', () => {
  test('by service', async () => {
    const items = await allPages('GroupByService=true&GroupByGame=true')
    expectRows(
      items,
      grouped(members, ({ service }) => folded(service)),
    )
    for (const item of items) {
      expect(item).toMatchObject({ depotId: null, alphaAppId: null, appName: item.service })
    }
  })

  test.each(['', '&Client=10.0.0.12', '&StartTime=1770000000'])('by game %s', async (query) => {
    const kept = members.filter(
      (row) =>
        (!query.includes('Client') || row.client === '10.0.0.12') &&
        (!query.includes('Start') || row.startedAt >= 1_770_000_000),
    )
    const items = await allPages(`GroupByGame=true${query}`)
    const groups = grouped(kept, gameKey)
    expectRows(items, groups)
    for (const item of items) {
      const clients = new Set((groups.get(item.id) ?? []).map(({ client }) => client))
      expect(new Set(item.clientIps)).toEqual(clients)
    }
  })

  test('hits and misses are separated before rows are merged', async () => {
    const kept = [...grouped(members, rowId).values()].filter(isHit).flat()
    const items = await allPages('GroupByGame=true&HitMiss=hit')
    const groups = grouped(kept, gameKey)
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set(groups.keys()))
    for (const item of items) {
      const rows = groups.get(item.id) ?? []
      expect(item.totalBytes).toBe(bytes(rows))
      expect(item.requestCount).toBe(rows.length)
    }
  })
})

const shareOf = ({ cacheHitBytes, totalBytes }: RetroDownloadDto) =>
  cacheHitBytes / Math.max(1, totalBytes)

describe('order and pages', () => {
  test.each([
    ['oldest', (item: RetroDownloadDto) => Date.parse(item.startTimeUtc), 1],
    ['largest', (item: RetroDownloadDto) => item.totalBytes, -1],
    ['smallest', (item: RetroDownloadDto) => item.totalBytes, 1],
    ['efficiency', shareOf, -1],
    ['efficiency-low', shareOf, 1],
    ['sessions', (item: RetroDownloadDto) => item.requestCount, -1],
    ['nonsense', (item: RetroDownloadDto) => Date.parse(item.endTimeUtc), -1],
  ])('%s', async (sort, value, direction) => {
    const values = (await allPages(`Sort=${sort}`)).map(value)
    expect(values).toEqual([...values].sort((a, b) => (a - b) * direction))
  })

  test.each(['alphabetical', 'service'])('%s', async (sort) => {
    const values = (await allPages(`Sort=${sort}`)).map((item) =>
      sort === 'service' ? item.service : item.appName.toLowerCase(),
    )
    expect(values).toEqual([...values].sort())
  })

  test.each([
    'Service=wsus',
    'Client=10.0.1.14',
    'Search=game%204',
    'HitMiss=miss&Service=riot',
    'StartTime=1775000000&EndTime=1785000000',
    'HideUnknown=true&StartTime=1785000000',
    'Client=10.0.0.12&includePrefill=true&ShowZeroBytes=false',
  ])('the same rows in every order with %s', async (filter) => {
    const rows = (items: RetroDownloadDto[]) => items.sort((a, b) => (a.id < b.id ? -1 : 1))
    const expected = rows(await allPages(filter))
    expect(new Set(expected.map(({ id }) => id)).size).toBe(expected.length)
    for (const sort of retroSorts) {
      expect(rows(await allPages(`${filter}&Sort=${sort}`))).toEqual(expected)
    }
  })

  test('page numbers, clamped sizes, no duplicates', async () => {
    const first = await retro('PageSize=1000')
    expect(first).toMatchObject({ pageSize: 200, currentPage: 1 })
    expect(first.totalPages).toBe(Math.ceil(first.totalItems / 200))
    expect(await retro('PageSize=0&Page=-3')).toMatchObject({ pageSize: 1, currentPage: 1 })
    expect((await retro('')).pageSize).toBe(50)
    const ids = (await allPages('Sort=sessions')).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const beyond = await retro('Page=99999')
    expect(beyond).toMatchObject({ items: [], totalItems: first.totalItems, currentPage: 99_999 })
    expect(await retro('Client=nobody')).toMatchObject({ items: [], totalItems: 0, totalPages: 1 })
  })

  test('an unknown event', async () => {
    expect((await app.send('GET', '/api/downloads/retro?EventId=77', 'user')).status).toBe(404)
  })
})

describe('single downloads', () => {
  test('one by its id', async () => {
    const row = members.find(({ depotId }) => depotId !== null)
    const { download, events } = await app.read(`/api/downloads/${row?.id}`)
    expect(events).toEqual([])
    expect(download).toMatchObject({
      id: row?.id,
      clientIp: row?.client,
      depotId: row?.depotId,
      gameName: row?.gameName,
      isActive: false,
      totalBytes: row === undefined ? 0 : bytes([row]),
      cacheHitBytes: row?.hitBytes,
    })
    expect((await app.send('GET', '/api/downloads/9007199254740991', 'user')).status).toBe(404)
  })

  test('one with its events, without removed tags', async () => {
    const id = members[5]?.id ?? 0
    for (const [name, isRemoved] of [
      ['Kept', false],
      ['Gone', true],
    ] as const) {
      await seeded.client`
        WITH event AS (
          INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
          VALUES (${name}, to_timestamp(5), to_timestamp(6), '', '', 3, now()) RETURNING id
        )
        INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
        SELECT id, ${id}, to_timestamp(7), true, ${isRemoved} FROM event`
    }
    const { events } = await app.read(`/api/downloads/${id}`)
    expect(events).toEqual([
      {
        id: expect.any(Number),
        name: 'Kept',
        colorIndex: 3,
        startTimeUtc: '1970-01-01T00:00:05.000Z',
        endTimeUtc: '1970-01-01T00:00:06.000Z',
        autoTagged: true,
        taggedAtUtc: '1970-01-01T00:00:07.000Z',
      },
    ])
    const start = members[5]?.startedAt
    const listed = await app.read(
      `/api/downloads/with-associations?startTime=${start}&endTime=${start}`,
    )
    const found = listed.find((item: { download: { id: number } }) => item.download.id === id)
    expect(found.events).toEqual([
      { id: events[0].id, name: 'Kept', colorIndex: 3, autoTagged: true },
    ])
  })

  test('the newest first, including active ones', async () => {
    const byStart = seeded.all
      .filter((row) => !row.isPrefill && bytes([row]) > 0)
      .sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)
    const endedNow = (byStart[0]?.endedAt ?? 0) + 5
    const isActive = (row: { endedAt: number }) =>
      row.endedAt > endedNow - 15 && row.endedAt < endedNow + 60
    const then = await reportApp({
      history: seeded.history,
      now: new Date(endedNow * 1000).toISOString(),
    })
    const listed = await then.read('/api/downloads/with-associations?count=30')
    const expected = byStart.slice(0, 30).map((row) => [row.id, isActive(row)])
    expect(expected[0]?.[1]).toBe(true)
    expect(
      listed.map(({ download }: { download: { id: number; isActive: boolean } }) => [
        download.id,
        download.isActive,
      ]),
    ).toEqual(expected)
  })
})
