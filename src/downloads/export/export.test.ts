import { describe, expect, spyOn, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  seededReport,
  seededUntil,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import { signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import { cursorOver } from './cursor.ts'
import { csvCell } from './formats.ts'

const end = Date.parse(seededUntil) / 1000
const hidden = '10.0.0.12'

const seeded = await seededReport(10_000)
const app = await testApp({ history: seeded.history, clock: new ManualTime(seededUntil) })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)
const clientDownloads = seeded.all.filter(({ isPrefill }) => !isPrefill)

const bytes = ({ hitBytes, missBytes }: PlainDownload) => hitBytes + missBytes
const isHit = ({ hitBytes, missBytes }: PlainDownload) => hitBytes > 0 && hitBytes >= missBytes
const newest = (rows: PlainDownload[]) =>
  rows.toSorted((a, b) => b.endedAt - a.endedAt || b.id - a.id)

async function json(path: string, browser = guest): Promise<Record<'id', number>[]> {
  const response = await browser.get(path)
  const text = await response.text()
  expect([response.status, text.slice(0, 1)]).toEqual([200, '['])
  return JSON.parse(text)
}

describe('the export of the downloads', () => {
  test("contains the whole list, in the view's order", async () => {
    const rows = await json('/api/ext/downloads/export?format=json')
    expect(rows.map(({ id }) => id)).toEqual(newest(clientDownloads).map(({ id }) => id))
    const [first] = newest(clientDownloads)
    const row: unknown = rows[0]
    expect(row).toEqual({
      id: first?.id ?? 0,
      service: first?.service ?? '',
      clientIp: first?.client ?? '',
      startTimeUtc: new Date((first?.startedAt ?? 0) * 1000).toISOString(),
      endTimeUtc: new Date((first?.endedAt ?? 0) * 1000).toISOString(),
      cacheHitBytes: first?.hitBytes ?? 0,
      cacheMissBytes: first?.missBytes ?? 0,
      totalBytes: first === undefined ? 0 : bytes(first),
      cacheHitPercent: expect.any(Number),
      isActive: (first?.endedAt ?? 0) > end - 15,
      gameName: first?.gameName ?? null,
      gameAppId: first?.appId ?? null,
      durationSeconds: (first?.endedAt ?? 0) - (first?.startedAt ?? 0),
      averageBytesPerSecond: expect.any(Number),
      depotId: first?.depotId ?? null,
      betaAppId: null,
      isEvicted: false,
      datasource: 'default',
    })
  })

  const filters: [string, (row: PlainDownload) => boolean][] = [
    ['Service=xbox', ({ service }) => service === 'xboxlive'],
    ['Client=10.0.0.11', ({ client }) => client === '10.0.0.11'],
    ['Game=wsus:unknown', ({ service }) => service === 'wsus'],
    ['HitMiss=miss', (row) => !isHit(row)],
    ['HitMiss=hit', isHit],
    ['ShowZeroBytes=false', (row) => bytes(row) > 0],
    ['Search=game%205', (row) => row.gameName?.toLowerCase().includes('game 5') ?? false],
    [
      `StartTime=${end - 86_400 * 9}&EndTime=${end - 86_400}`,
      ({ startedAt }) => startedAt >= end - 86_400 * 9 && startedAt <= end - 86_400,
    ],
    ['Sort=nonsense&HideLocalhost=true', () => true],
  ]
  test.each(filters)('filtered by %s', async (query, isChosen) => {
    const rows = await json(`/api/ext/downloads/export?format=json&${query}`)
    const wanted = newest(clientDownloads).filter(isChosen)
    expect(wanted.length).toBeGreaterThan(5)
    expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  })

  const share = (row: PlainDownload) => row.hitBytes / Math.max(1, bytes(row))
  const text = (one: string, other: string) => (one < other ? -1 : Number(one > other))
  const orders: Record<string, (a: PlainDownload, b: PlainDownload) => number> = {
    largest: (a, b) => bytes(b) - bytes(a),
    smallest: (a, b) => bytes(a) - bytes(b),
    oldest: (a, b) => a.startedAt - b.startedAt,
    efficiency: (a, b) => share(b) - share(a),
    service: (a, b) => text(a.service, b.service),
    sessions: () => 0,
  }
  test.each(Object.keys(orders))('sorted by %s', async (sort) => {
    const rows = await json(`/api/ext/downloads/export?format=json&Sort=${sort}`)
    const wanted = newest(clientDownloads).sort((a, b) => orders[sort]?.(a, b) ?? 0)
    expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
  })

  test('as CSV has a byte order mark, a header and one line per download', async () => {
    const response = await guest.get('/api/ext/downloads/export')
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('Content-Disposition')).toBe(
      'attachment; filename="downloads-2026-11-21.csv"',
    )
    const bytesOfFile = new Uint8Array(await response.arrayBuffer())
    expect([...bytesOfFile.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const lines = new TextDecoder().decode(bytesOfFile).split('\r\n')
    expect(lines[0]).toBe(
      'id,service,client IP,start,end,hit bytes,miss bytes,total,hit %,active,game name,app id,' +
        'duration s,average bytes/s,depot id,beta app id,evicted,datasource',
    )
    expect(lines).toHaveLength(newest(clientDownloads).length + 2)
    expect(lines.at(-1)).toBe('')
    expect(lines[1]?.split(',')[0]).toBe(String(newest(clientDownloads)[0]?.id))
  })

  test('excludes hidden clients', async () => {
    await user.put('/api/stats/exclusions', { rules: [{ ip: hidden, mode: 'hide' }] })
    const rows = await json('/api/ext/downloads/export?format=json')
    const wanted = newest(clientDownloads).filter(({ client }) => client !== hidden)
    expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
    await user.put('/api/stats/exclusions', { rules: [] })
  })

  test.each([
    ['/api/ext/downloads/export?format=xml', 400],
    ['/api/ext/downloads/export?StartTime=9&EndTime=1', 400],
    ['/api/ext/downloads/export?Game=doom', 400],
    ['/api/ext/downloads/export?EventId=987654', 404],
    ['/api/ext/events/987654/export', 404],
    ['/api/ext/clients/export?startTime=9&endTime=1', 400],
  ])('%s is refused with %d', async (path, status) => {
    expect((await user.get(path)).status).toBe(status)
  })
})

describe('other exports', () => {
  test('an event: by time or by tag, not limited like the list', async () => {
    const [startTime, endTime] = [end - 200 * 86_400, end - 100 * 86_400]
    const created = await user.post('/api/events', { name: 'Party', startTime, endTime })
    const { id }: { id: number } = JSON.parse(await created.text())
    const inside = newest(clientDownloads).filter(
      ({ startedAt }) => startedAt >= startTime && startedAt <= endTime,
    )
    expect(inside.length).toBeGreaterThan(1000)
    const rows = await json(`/api/ext/events/${id}/export?format=json`)
    expect(rows.map((row) => row.id)).toEqual(inside.map((row) => row.id))
    // The event's whole time is tagged in the background.
    const tagged = async () => {
      const found = await json(`/api/ext/events/${id}/export?format=json&taggedOnly=true`)
      return found.map((row) => row.id)
    }
    await eventually(async () => (await tagged()).length >= inside.length, 'all are tagged')
    expect(await tagged()).toEqual(inside.map((row) => row.id))
    const outside = newest(clientDownloads).find(({ startedAt }) => startedAt > endTime)
    await user.post(`/api/events/${id}/downloads/${outside?.id}`)
    expect((await tagged())[0]).toBe(outside?.id ?? 0)
  })

  test('clients, with an account', async () => {
    const stats = JSON.parse(await (await user.get('/api/stats/clients?limit=1000')).text())
    const chosen = stats[0].clientIp
    await user.put(`/api/ext/clients/${chosen}/device`, { kind: 'tv' })
    const response = await user.get('/api/ext/clients/export?format=json')
    const rows: { clientIp: string; totalBytes: number }[] = JSON.parse(await response.text())
    const devices = JSON.parse(await (await user.get('/api/ext/clients/devices')).text())
    const kinds = new Map<string, string>(
      devices.map(({ clientIp, kind }: { clientIp: string; kind: string }) => [clientIp, kind]),
    )
    expect(kinds.get(chosen)).toBe('tv')
    expect(rows).toEqual(
      stats.map(({ groupMemberIps: _ips, ...row }: { groupMemberIps: null; clientIp: string }) => ({
        ...row,
        groupMemberIps: null,
        device: kinds.get(row.clientIp) ?? null,
      })),
    )
  })
})

test('a page may take as long as a whole export: rows may have to be sorted first', async () => {
  const { pages } = cursorOver<{ limit: string }>(
    seeded.history.connection(),
    (sql) => sql`SELECT current_setting('statement_timeout') AS limit`,
    1,
  )
  expect((await pages.next()).value).toEqual([{ limit: '6h' }])
  await pages.return(undefined)
})

test('the server closes none of them, however long the first row takes', async () => {
  const host = app.listen()
  const server = app.server()
  if (server === null) throw new Error('it listens')
  const limits = spyOn(server, 'timeout')
  const headers = { Cookie: `Svc.Session=${user.sessionToken ?? ''}` }
  const paths = ['downloads', 'clients', 'events/1']
  for (const path of paths) await fetch(`http://${host}/api/ext/${path}/export`, { headers })
  expect(limits.mock.calls.map(([, seconds]) => seconds)).toEqual([0, 0, 0])
})

describe('concurrency', () => {
  test('one per guest; a disconnected reader frees its slot', async () => {
    const path = '/api/ext/downloads/export'
    const first = await guest.get(path)
    const reader = first.body?.getReader()
    await reader?.read()
    const second = await guest.get(path)
    expect(second.status).toBe(429)
    expect(second.headers.get('Retry-After')).toBe('10')
    expect(JSON.parse(await second.text())).toEqual({
      error: 'Too many exports are running; try again when one has ended',
    })
    await reader?.cancel()
    expect(await (await guest.get(path)).text()).toContain('datasource')
  })

  test('one that is given up before its first row frees its slot, and its query ends', async () => {
    const path = '/api/ext/downloads/export?Sort=largest'
    const controller = new AbortController()
    await seeded.client.begin(async (holder) => {
      const waiting = async () => {
        const rows = await holder`
          SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'downloads'::regclass
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        return rows.length
      }
      await holder`LOCK TABLE downloads IN ACCESS EXCLUSIVE MODE`
      const headers = { Cookie: `Svc.Session=${guest.sessionToken ?? ''}` }
      const answer = app.request(path, { headers, signal: controller.signal })
      await eventually(async () => (await waiting()) === 1, 'the export waits')
      controller.abort()
      await answer
      await eventually(async () => (await waiting()) === 0, 'its query ends')
    })
    expect(await (await guest.get(path)).text()).toContain('datasource')
  })

  test('guests leave two of four to accounts', async () => {
    const path = '/api/ext/downloads/export'
    const guests = [guest, await signInGuest(app), await signInGuest(app)]
    const started: Response[] = []
    for (const browser of [...guests, user, user, user]) started.push(await browser.get(path))
    expect(started.map(({ status }) => status)).toEqual([200, 200, 429, 200, 200, 429])
    for (const { body } of started) await body?.cancel()
    expect(await (await user.get(path)).text()).toContain('datasource')
  })
})

test.each([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-x', "'-x"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['x;=1+1', "x;'=1+1"],
  ['x;=1;+2', "x;'=1;'+2"],
  ['x,=1', '"x,\'=1"'],
  ['x\t@sum', "x\t'@sum"],
  ['x\n-1', '"x\n\'-1"'],
  ['x; =1', "x;' =1"],
  ['x;"=1"', '"x;\'""=1"""'],
  ['"=1', '"\'""=1"'],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['a-b=c@d', 'a-b=c@d'],
  ['2026-11-21', '2026-11-21'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  ['plain', 'plain'],
  [-5, '-5'],
  [98_625_678_518_807, '98625678518807'],
  [1234.5678, '1234.568'],
  [true, 'true'],
  [null, ''],
])('the cell %p is written as %p', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})
