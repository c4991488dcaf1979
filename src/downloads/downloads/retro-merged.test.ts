import { expect, test } from 'bun:test'
import {
  bytes,
  grouped,
  seededReport,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import { foldedService } from '../reports/numbers.ts'
import { retroQueryOf, type RetroQuery } from './retro-query.ts'
import { retroRows } from './retro-store.ts'

// Ends at full hours: several clients were the last of a service. Downloads of several
// services have no title.
const seeded = await seededReport(
  2500,
  (client) => client`
    UPDATE downloads SET client = CASE WHEN id % 11 = 0 THEN '127.0.0.1' ELSE client END,
      title_key = CASE WHEN id % 5 = 0 THEN '' ELSE title_key END,
      service = CASE WHEN id % 35 = 0 THEN 'wsus' ELSE service END,
      ended_at = date_trunc('hour', ended_at, 'UTC') + '3 hours'`,
)
const last = Math.floor(Math.max(...seeded.all.map(({ startedAt }) => startedAt)))
const day = 86_400
const without = ['10.0.0.12', '10.0.1.14']
const isHidden = ({ client }: PlainDownload) => without.includes(client)

const views: [string, Partial<RetroQuery>, (row: PlainDownload) => boolean][] = [
  ['all', {}, () => true],
  [
    'a part',
    { period: { start: last - 200 * day + 77, end: last - 30 * day } },
    ({ startedAt }) => startedAt >= last - 200 * day + 77 && startedAt <= last - 30 * day,
  ],
  [
    'since, without two clients',
    { period: { start: last - 100 * day, end: null }, without },
    (row) => row.startedAt >= last - 100 * day && !isHidden(row),
  ],
  [
    'without two clients and localhost',
    { without, hideLocalhost: true },
    (row) => !isHidden(row) && row.client !== '127.0.0.1',
  ],
  ['of a client', { client: '10.0.0.11' }, ({ client }) => client === '10.0.0.11'],
]

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const gameOf = ({ service, appId, gameName }: PlainDownload) => {
  const name = gameName === null ? 'unknown' : `name-${gameName.toLowerCase()}`
  return `${foldedService(service)}-${appId === null ? name : `app-${appId}`}`
}
const merges: [string, (row: PlainDownload) => string][] = [
  ['GroupByService', ({ service }) => foldedService(service)],
  ['GroupByGame', gameOf],
]
const cases = merges.flatMap(([merge, idOf]) =>
  views.map(([name, change, keeps]) => [merge, name, { idOf, change, keeps }] as const),
)

test.each(cases)(
  'merged rows have the ids, clients, sums and bounds of their downloads: %s, %s',
  async (merge, _name, { idOf, change, keeps }) => {
    const query = { ...retroQueryOf({ [merge]: true, PageSize: 200 }), ...change }
    const remember = <T>(_what: string, compute: () => Promise<T>) => compute()
    const { items, total } = await seeded.history.read((_db, sql) =>
      retroRows(sql, query, { activeSince: last, remember }),
    )
    const shown = seeded.all.filter((row) => !row.isPrefill && keeps(row))
    const groups = grouped(shown, idOf)
    const merged = [...groups].map(([id, rows]) => {
      const newest = rows.toSorted((a, b) => b.endedAt - a.endedAt || compare(a.client, b.client))
      const first = Math.min(...rows.map(({ startedAt }) => startedAt))
      return {
        id,
        clientIp: newest[0]?.client ?? '',
        clientIps: [...new Set(rows.map(({ client }) => client))].sort(compare),
        requestCount: rows.length,
        totalBytes: bytes(rows),
        startTimeUtc: new Date(first * 1000).toISOString(),
        endTimeUtc: new Date((newest[0]?.endedAt ?? 0) * 1000).toISOString(),
      }
    })
    expect(total).toBe(merged.length)
    const found = items.map(({ id, clientIp, clientIps, requestCount, totalBytes, ...row }) => {
      const { startTimeUtc, endTimeUtc } = row
      return { id, clientIp, clientIps, requestCount, totalBytes, startTimeUtc, endTimeUtc }
    })
    for (const { id, downloadIds } of items) {
      const rows = new Map((groups.get(id) ?? []).map((row) => [row.id, row.endedAt]))
      const newest = [...rows.values()].toSorted((a, b) => b - a).slice(0, 100)
      expect([id, downloadIds.map((one) => rows.get(one))]).toEqual([id, newest])
    }
    const byId = (a: { id: string }, b: { id: string }) => compare(a.id, b.id)
    expect(found.sort(byId)).toEqual(merged.sort(byId))
  },
)
