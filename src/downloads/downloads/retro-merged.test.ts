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

// Ends at full hours: several clients were the last of a service.
const seeded = await seededReport(
  2500,
  (client) => client`
    UPDATE downloads SET client = CASE WHEN id % 11 = 0 THEN '127.0.0.1' ELSE client END,
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

test.each(views)(
  'services have the clients and sums of their downloads: %s',
  async (_name, change, keeps) => {
    const query = { ...retroQueryOf({ GroupByService: true }), ...change }
    const remember = <T>(_what: string, compute: () => Promise<T>) => compute()
    const { items, total } = await seeded.history.read((_db, sql) =>
      retroRows(sql, query, { activeSince: last, remember }),
    )
    const shown = seeded.all.filter((row) => !row.isPrefill && keeps(row))
    const services = [...grouped(shown, ({ service }) => foldedService(service))].map(
      ([id, rows]) => {
        const newest = rows.toSorted((a, b) => b.endedAt - a.endedAt || compare(a.client, b.client))
        return {
          id,
          clientIp: newest[0]?.client ?? '',
          clientIps: [...new Set(rows.map(({ client }) => client))].sort(compare),
          requestCount: rows.length,
          totalBytes: bytes(rows),
        }
      },
    )
    expect(total).toBe(services.length)
    const found = items.map(({ id, clientIp, clientIps, requestCount, totalBytes }) => {
      return { id, clientIp, clientIps, requestCount, totalBytes }
    })
    const byId = (a: { id: string }, b: { id: string }) => compare(a.id, b.id)
    expect(found.sort(byId)).toEqual(services.sort(byId))
  },
)
