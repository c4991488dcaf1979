import { afterAll, describe, expect, test } from 'bun:test'
import type { Fragment } from 'postgres'
import { readPlans, type PlanNode } from '../../test/support/plans.ts'
import { readEvicted } from '../cache/detection/store.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { seedHistory } from '../../test/support/seed-history.ts'
import { elapsedBuckets, eventTotals } from './compare/store.ts'
import { exportRows } from './export/store.ts'
import { sumsByClient, sumsByGame } from './games/store.ts'
import { everything, focusBuckets, focusDays, focusHours, focusSums } from './reports/focus.ts'
import type { RetroParameters } from './downloads/model.ts'
import { retroQueryOf } from './downloads/retro-query.ts'
import { retroRows } from './downloads/retro-store.ts'
import { bucketSums, hourOfDaySums } from '../dashboard/store.ts'
import { listDownloads } from './downloads/store.ts'
import { allTime } from './reports/range.ts'
import type { Scope } from './reports/scope.ts'
import { overlapping } from './speeds/service.ts'
import { clientSums, countActive, countClients, serviceSums } from './stats/store.ts'

const until = new Date('2026-11-21T12:00:00Z')
const now = until.getTime() / 1000
const daySeconds = 86_400
const year = { StartTime: now - 365 * daySeconds, EndTime: now }
const month = { StartTime: now - 30 * daySeconds, EndTime: now }

const halfYear = { StartTime: now - 182 * daySeconds, EndTime: now }
const longAgo = { StartTime: now - 250 * daySeconds, EndTime: now - 220 * daySeconds }

const target = await freshDatabase()
// Enough for the planner to choose as it would with a million.
await seedHistory(target, { downloads: 40_000, until, titles: 60 })
const { sql, plansOf } = readPlans(target)
await sql`
  INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
  SELECT 'Party', now(), now(), '', '', 1, now() FROM generate_series(1, 20)`
await sql`
  INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
  SELECT events.id, downloads.id, now(), true, false
  FROM events JOIN downloads ON downloads.id % 400 = events.id`
await sql`VACUUM ANALYZE`
afterAll(() => sql.end())

/** Tables that grow with downloads; monthly traffic partitions are separate tables. */
const isLarge = (table: string) => /^(?:downloads|traffic\w*|event_downloads)$/.test(table)

async function expectIndexes(report: () => Promise<unknown>): Promise<PlanNode[]> {
  const nodes = await plansOf(report)
  const whole = nodes.filter((node) => node['Node Type'] === 'Seq Scan')
  expect(whole.map((node) => node['Relation Name'] ?? '').filter(isLarge)).toEqual([])
  return nodes
}

test('a report that scans all downloads is detected', async () => {
  const nodes = await plansOf(() => sql`SELECT sum(hit_bytes) FROM downloads`)
  const scan = nodes.find((node) => node['Node Type'] === 'Seq Scan')
  expect(isLarge(scan?.['Relation Name'] ?? '')).toBe(true)
})

const retro = (parameters: RetroParameters) =>
  expectIndexes(() =>
    retroRows(sql, retroQueryOf(parameters), {
      activeSince: now - 15,
      remember: (_what, compute) => compute(),
    }),
  )

describe('retro view plans never scan a whole table', () => {
  const views: [string, RetroParameters][] = [
    ['everything', {}],
    ['a far page', { Page: 200 }],
    ['from the end', { Page: 600 }],
    ['by size', { Sort: 'largest', Page: 200 }],
    ['by efficiency', { Sort: 'efficiency', Page: 200 }],
    ['by name', { Sort: 'alphabetical', Page: 200 }],
    ['by service', { Sort: 'service', Page: 200 }],
    ['oldest first', { Sort: 'oldest', Page: 200 }],
    ['of a client', { Client: '10.0.0.12' }],
    ['of a search', { Search: 'game 5' }],
    ['of a month', month],
    ['of a year', year],
    ['games', { GroupByGame: true }],
    ['games of a month', { ...month, GroupByGame: true, Sort: 'largest' }],
    ['games of a year', { ...year, GroupByGame: true, Sort: 'largest' }],
    ['services of a year', { ...year, GroupByService: true }],
    ['mostly missed games', { GroupByGame: true, HitMiss: 'miss' }],
    ['far pages of mostly missed ones', { HitMiss: 'miss', Page: 100 }],
    ['of a service', { Service: 'steam' }],
    ['of a folded service', { Service: 'xbox', Page: 20 }],
    ['of a game', { Game: 'riot:game 2' }],
    ['of a month long ago', longAgo],
    ['a far page of a year', { ...year, Page: 200 }],
    ['of a year by size', { ...year, Page: 200, Sort: 'largest' }],
    ['of half a year by efficiency', { ...halfYear, Page: 100, Sort: 'efficiency' }],
    ['of half a year, oldest first', { ...halfYear, Page: 100, Sort: 'oldest' }],
    ['without empty ones', { ShowZeroBytes: false }],
    ['a client without empty ones', { ShowZeroBytes: false, Client: '10.0.0.12', Page: 20 }],
  ]
  test.each(views)('%s', async (_name, parameters) => {
    await retro(parameters)
  })

  test('games find the ids of their newest downloads inside an index', async () => {
    for (const rest of [{}, { includePrefill: true }, { Sort: 'largest' }]) {
      const nodes = await retro({ ...rest, GroupByGame: true })
      const inside = nodes.filter((node) => node['Node Type'] === 'Index Only Scan')
      expect(inside.map((node) => node['Index Name'])).toContain('downloads_title')
    }
  })

  test('sums by client are read for the rows of a page only', async () => {
    for (const rest of [{}, year, halfYear]) {
      const nodes = await retro({ ...rest, GroupByGame: true })
      const groups = nodes.filter(
        (node) => node['Relation Name']?.startsWith('download_groups') === true,
      )
      expect(groups.length).toBeGreaterThan(0)
      for (const node of groups)
        expect(`${node['Index Cond']} ${node.Filter}`).toContain('title_key = ANY')
    }
  })

  test.each([
    ['largest', 'downloads_single_size'],
    ['efficiency', 'downloads_single_efficiency'],
  ])('pages in the order %s skip inside %s', async (sort, index) => {
    for (const rest of [{}, year, { ShowZeroBytes: false }]) {
      const nodes = await retro({ ...rest, Sort: sort, Page: 200 })
      const inside = nodes.filter((node) => node['Node Type'] === 'Index Only Scan')
      expect(inside.map((node) => node['Index Name'])).toContain(index)
    }
  })

  test.each([
    ['latest', 'downloads_ended'],
    ['oldest', 'downloads_started'],
    ['service', 'downloads_service'],
  ])('pages in the order %s are read in the order of %s', async (sort, index) => {
    for (const rest of [{}, year, { ShowZeroBytes: false }]) {
      const nodes = await retro({ ...rest, Sort: sort, Page: 200 })
      expect(nodes.map((node) => node['Index Name'])).toContain(index)
    }
  })
})

describe("other reports' plans never scan a whole table", () => {
  const scope: Scope = {
    period: { start: now - 365 * daySeconds + 77, end: now },
    eventId: null,
    includePrefill: false,
    without: [],
  }
  const options = { timeZone: 'UTC', isWholeHours: true, changedBlocks: [] }
  const reports: [string, () => Promise<unknown>][] = [
    ['services', () => serviceSums(sql, scope)],
    ['clients', () => clientSums(sql, scope, { limit: 100, merged: [] })],
    ['how many clients', () => countClients(sql, scope)],
    ['hours', () => hourOfDaySums(sql, scope, options)],
    ['newest', () => listDownloads(sql, scope, { limit: 200, activeSince: now - 15 })],
    [
      'active',
      () => countActive(sql, { since: new Date(until), includePrefill: false, without: [] }),
    ],
    ['speeds', () => overlapping(sql, { start: now - 3600, end: now, scope })],
  ]
  test.each(reports)('%s', async (_name, report) => {
    await expectIndexes(report)
  })

  const without = ['10.0.0.12']
  const always = { ...scope, period: allTime }
  const game = { ...everything, titles: { keys: ['delta:game-2'], isExcept: false } }
  const client = { ...everything, client: '10.0.0.12' }
  const hours = { focus: client, ...options }
  const days = { seconds: daySeconds, coarsest: 'day' } as const
  const ended = now - 15
  const query = retroQueryOf({})
  const things: [string, () => Promise<unknown>][] = [
    ['services without a client', () => serviceSums(sql, { ...scope, without })],
    ['hours without a client', () => hourOfDaySums(sql, { ...scope, without }, options)],
    ['days of everything', () => bucketSums(sql, scope, 1440)],
    ['days of a game', () => focusDays(sql, scope, game)],
    ['line of a game', () => focusBuckets(sql, scope, { focus: game, ...days })],
    ['clients of a game', () => sumsByClient(sql, scope, game)],
    ['games of a client', () => sumsByGame(sql, scope, { focus: client, limit: 10 })],
    ['hours of a client', () => focusHours(sql, scope, hours)],
    ['an event', () => eventTotals(sql, { ...scope, eventId: 1 })],
    [
      'an event over time',
      () =>
        elapsedBuckets(sql, { ...scope, eventId: 1 }, { startsAt: 0, endsAt: now, seconds: 900 }),
    ],
    ['the first rows of an export', () => sql`${exportRows(sql, query, ended)} LIMIT 1000`],
  ]
  test.each([{}, year])('an export is read in the order of an index: %j', async (parameters) => {
    const nodes = await expectIndexes(
      () => sql`${exportRows(sql, retroQueryOf(parameters), now)} LIMIT 1000`,
    )
    expect(nodes.filter((node) => /Sort/.test(node['Node Type']))).toEqual([])
  })

  test.each([
    ['services', () => serviceSums(sql, always), 'service_block'],
    ['clients', () => clientSums(sql, always, { limit: 100, merged: [] }), 'client_block'],
    ['how many clients', () => countClients(sql, always), 'client_block'],
    [
      'services without a client',
      () => serviceSums(sql, { ...always, without }),
      'client_service_block',
    ],
    ['hours of the day', () => hourOfDaySums(sql, always, options), 'hour_block'],
    [
      'a client',
      () => focusSums(sql, always, { ...everything, client: '10.0.0.12' }),
      'client_block',
    ],
    [
      'a service',
      () => focusSums(sql, always, { ...everything, services: ['steam'] }),
      'service_block',
    ],
  ] as const)('sums of all time read blocks of days: %s', async (_name, report, table) => {
    const read = (await plansOf(report)).flatMap((node) => node['Relation Name'] ?? [])
    expect(read).toEqual([table])
  })

  test('weeks and their busiest hours are read by day', async () => {
    const nodes = await plansOf(() => bucketSums(sql, always, 10_080))
    const read = nodes.flatMap((node) => node['Relation Name'] ?? [])
    expect(read.sort()).toEqual(['day_peak', 'time_day'])
  })

  test('hours without a client are subtracted inside an index', async () => {
    const nodes = await plansOf(() => bucketSums(sql, { ...always, without }, 10_080))
    const hours = nodes.filter((node) => node['Index Name'] === 'client_hour_client')
    expect(hours.map((node) => node['Node Type'])).toEqual(['Index Only Scan'])
  })

  test('games of a service are read without their clients', async () => {
    const focus = { ...everything, services: ['steam'] }
    const nodes = await plansOf(() => sumsByGame(sql, always, { focus, limit: 10 }))
    const read = nodes.flatMap((node) => node['Relation Name'] ?? [])
    expect(read.sort()).toEqual(['title_groups_0', 'titles'])
  })

  test('evicted downloads of titles are summed without their clients', async () => {
    const nodes = await plansOf(() => readEvicted(sql))
    const read = new Set(nodes.flatMap((node) => node['Relation Name'] ?? []))
    expect([...read]).toEqual(['title_groups_0'])
  })

  test('an event uses its tags, however old the oldest is', async () => {
    const scope20 = { ...scope, period: { start: null, end: null }, eventId: 20 }
    await sql`DELETE FROM event_downloads WHERE event_id = 20`
    const tag = (rule: Fragment) => sql`
      INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
      SELECT 20, id, now(), true, false FROM downloads WHERE ${rule}`
    await tag(sql`id BETWEEN 30000 AND 30080`)
    await sql`ANALYZE event_downloads`
    // The planner has no statistics on this one.
    await tag(sql`id = 1`)
    const asked = [
      () => listDownloads(sql, scope20, { limit: 200, activeSince: ended }),
      () => serviceSums(sql, scope20),
      () => clientSums(sql, scope20, { limit: 100, merged: [] }),
      () => eventTotals(sql, scope20),
      () =>
        retroRows(
          sql,
          { ...query, eventId: 20 },
          { activeSince: ended, remember: (_what, ask) => ask() },
        ),
    ]
    for (const report of asked) {
      const nodes = await expectIndexes(report)
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Merge Join')
      expect(nodes.map((node) => node['Index Name'])).toContain('downloads_pkey')
    }
  })

  test.each(things)('%s', async (_name, report) => {
    await expectIndexes(report)
  })
})
