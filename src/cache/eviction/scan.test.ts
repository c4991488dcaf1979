import { beforeEach, describe, expect, test } from 'bun:test'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import type { CacheEngine } from '../../engines/cache/cache-engine.ts'
import type { ObjectName } from '../../engines/cache/contract.ts'
import { restoreFound, scanEvictions, type ScanProgress } from './scan.ts'
import { evidenceOf, isEvictedBy } from './verdict.ts'

const history = await freshHistory()
beforeEach(() => history.read((_db, sql) => sql`TRUNCATE downloads, event_downloads`))

const now = new Date('2026-11-21T12:00:00Z')
const nowSeconds = now.getTime() / 1000

interface Row {
  id: number
  keys: string[]
  datasource?: string
  isEvicted?: boolean
  hitBytes?: number
  missBytes?: number
  endedSecondsAgo?: number
}

const insert = ({ endedSecondsAgo = 3600, keys, ...row }: Row) =>
  putDownloads(history, {
    titleKey: 'alpha:1',
    missBytes: 10,
    startedAt: nowSeconds - endedSecondsAgo - 60,
    endedAt: nowSeconds - endedSecondsAgo,
    ...(keys.length > 0 && { objects: keys }),
    ...row,
  })

const evictedIds = () =>
  history.read(async (_db, sql) => {
    const rows = await sql<{ id: string }[]>`SELECT id FROM downloads WHERE is_evicted ORDER BY id`
    return rows.map(({ id }) => Number(id))
  })

/** An index of one tree that holds the named objects. */
function indexOf(uris: string[], state: 'complete' | 'failed' = 'complete', isCleared = false) {
  const asked: ObjectName[] = []
  const root = {
    datasource: 'default',
    path: '/cache',
    scheme: 'monolithic' as const,
    sliceBytes: 1_048_576,
    state,
    problem: state === 'failed' ? 'The cache folder is empty' : null,
    problemKey: null,
    problemContext: null,
    files: uris.length,
    bytes: uris.length * 1000,
    directories: 1,
    hexDirectories: 1,
    walkedAt: now.toISOString(),
    walkMs: 1,
    isConclusive: state === 'complete' && (isCleared || uris.length > 0),
    sharedWith: null,
  }
  const cache: Pick<CacheEngine, 'walk' | 'roots' | 'present'> = {
    walk: () => Promise.resolve([]),
    roots: () => Promise.resolve([root]),
    present(names) {
      asked.push(...names)
      const isKnown = ({ datasource }: ObjectName) => datasource === 'default'
      return Promise.resolve(
        names.map((name) =>
          isKnown(name) ? uris.includes(`${name.firstByte} ${name.uri}`) : null,
        ),
      )
    },
  }
  return { cache, asked }
}

async function scan(cache: ReturnType<typeof indexOf>['cache'], prunesOrphans = false) {
  const reports: ScanProgress[] = []
  const outcome = await scanEvictions(
    { cache, history, now: () => now },
    {
      prunesOrphans,
      signal: new AbortController().signal,
      progress: (report) => reports.push(report),
    },
  )
  return { outcome, reports }
}

describe('scan', () => {
  test('marks evicted downloads, unmarks those that are back, leaves the rest', async () => {
    await insert({ id: 1, keys: ['0 /gone', '1048576 /gone'] })
    await insert({ id: 2, keys: ['0 /gone', '0 /there'] })
    await insert({ id: 3, keys: ['0 /there'], isEvicted: true })
    await insert({ id: 4, keys: ['0 /gone'], hitBytes: 0, missBytes: 0 })
    await insert({ id: 5, keys: [], isEvicted: true })
    await insert({ id: 6, keys: ['0 /gone'], datasource: 'elsewhere', isEvicted: true })
    await insert({ id: 7, keys: ['0 /gone'], endedSecondsAgo: 30 })
    const { cache } = indexOf(['0 /there'])
    const { outcome, reports } = await scan(cache)
    expect(outcome).toEqual({
      state: 'completed',
      reason: null,
      totalProcessed: 6,
      totalEvicted: 1,
      totalUnEvicted: 2,
      totalPruned: 0,
    })
    expect(await evictedIds()).toEqual([1, 6])
    expect(reports.at(-1)).toMatchObject({ stage: 'postProcessing', totalEstimate: 6 })
    const again = await scan(cache)
    expect(again.outcome).toMatchObject({ totalEvicted: 0, totalUnEvicted: 0 })
  })

  test("ignores the case of a datasource's name", async () => {
    await insert({ id: 1, keys: ['0 /gone'], datasource: 'Default' })
    await insert({ id: 2, keys: ['0 /there'], datasource: 'DEFAULT', isEvicted: true })
    const { outcome } = await scan(indexOf(['0 /there']).cache)
    expect(outcome).toMatchObject({ totalEvicted: 1, totalUnEvicted: 1 })
    expect(await evictedIds()).toEqual([1])
  })

  test('after a walk only downloads found again lose their flag', async () => {
    await insert({ id: 1, keys: ['0 /gone'] })
    await insert({ id: 2, keys: ['0 /gone', '0 /there'], isEvicted: true })
    await insert({ id: 3, keys: [], isEvicted: true })
    await insert({ id: 4, keys: ['0 /gone'], isEvicted: true, hitBytes: 0, missBytes: 0 })
    const { cache } = indexOf(['0 /there'])
    const { signal } = new AbortController()
    expect(await restoreFound({ cache, history }, signal)).toBe(1)
    expect(await evictedIds()).toEqual([3, 4])
    expect(await restoreFound({ cache, history }, AbortSignal.abort())).toBe(0)
  })

  test('one object suffices for a present download', async () => {
    await insert({ id: 1, keys: ['0 /there', '0 /a', '0 /b'] })
    const { cache, asked } = indexOf(['0 /there'])
    await scan(cache)
    expect(asked).toHaveLength(1)
  })

  test('handles more downloads than one batch', async () => {
    await history.read(
      (_db, sql) => sql`
      INSERT INTO downloads (id, datasource, service, tag, client, title_key, is_prefill, started_at,
        ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
      SELECT n, 'default', 'steam', 'steam', '10.0.0.1', 'alpha:1', false, to_timestamp(1e9),
        to_timestamp(1e9), 5, 5, 1, '/x', 1 FROM generate_series(1, 4500) n`,
    )
    await history.read(
      (_db, sql) => sql`
      INSERT INTO download_objects SELECT id, ARRAY['0 /' || (id % 3)] FROM downloads`,
    )
    const { outcome } = await scan(indexOf(['0 /1', '0 /2']).cache)
    expect(outcome).toMatchObject({ totalProcessed: 4500, totalEvicted: 1500 })
    expect(await evictedIds()).toHaveLength(1500)
  })

  test('an empty or failed tree changes nothing', async () => {
    await insert({ id: 1, keys: ['0 /gone'] })
    await insert({ id: 2, keys: ['0 /gone'], isEvicted: true })
    const empty = await scan(indexOf([]).cache)
    expect(empty.outcome).toMatchObject({ state: 'abstained', totalProcessed: 0 })
    const failed = await scan(indexOf(['0 /there'], 'failed').cache)
    expect(failed.outcome.state).toBe('abstained')
    expect(await evictedIds()).toEqual([2])
  })

  test('after a clearing everything is evicted', async () => {
    await insert({ id: 1, keys: ['0 /gone'] })
    const { outcome } = await scan(indexOf([], 'complete', true).cache)
    expect(outcome).toMatchObject({ state: 'completed', totalEvicted: 1 })
    expect(await evictedIds()).toEqual([1])
  })

  test('sums of downloads that retention has deleted follow those that are left', async () => {
    const deleteKeepingSums = (id: number) =>
      history.read((_db, sql) =>
        sql.begin(async (transaction) => {
          await transaction`SELECT set_config('larder.keeps_sums', 'on', true)`
          await transaction`DELETE FROM downloads WHERE id = ${id}`
        }),
      )
    /** Evicted downloads and all, which each span of both tables must have. */
    const sums = () =>
      history.read(
        (_db, sql) => sql<{ evicted: number; downloads: number }[]>`
          SELECT DISTINCT sum(evicted)::int AS evicted, sum(downloads)::int AS downloads
          FROM (SELECT true AS of_titles, span_days, evicted, downloads FROM title_groups
            UNION ALL SELECT false, span_days, evicted, downloads FROM download_groups) AS sums
          GROUP BY of_titles, span_days`,
      )
    const there = indexOf(['0 /game', '0 /other']).cache
    const gone = indexOf(['0 /other']).cache
    await insert({ id: 1, keys: ['0 /game'], endedSecondsAgo: 30 * 86_400 })
    await insert({ id: 2, keys: ['0 /game'] })
    await insert({ id: 3, keys: ['0 /game'], hitBytes: 0, missBytes: 0 })
    await scan(gone)
    expect([...(await sums())]).toEqual([{ evicted: 2, downloads: 3 }])
    await deleteKeepingSums(1)
    await scan(there)
    expect([...(await sums())]).toEqual([{ evicted: 0, downloads: 3 }])
    await scan(gone)
    expect([...(await sums())]).toEqual([{ evicted: 2, downloads: 3 }])
    await insert({ id: 4, keys: ['0 /other'] })
    await scan(gone)
    expect([...(await sums())]).toEqual([{ evicted: 2, downloads: 4 }])
    await history.read((_db, sql) => sql`DELETE FROM downloads WHERE is_evicted`)
    await scan(gone)
    expect([...(await sums())]).toEqual([{ evicted: 0, downloads: 3 }])
  })

  test('prunes downloads without a trace only when asked', async () => {
    await insert({ id: 1, keys: [] })
    await insert({ id: 2, keys: ['0 /there'] })
    await insert({ id: 3, keys: [], endedSecondsAgo: 200 })
    const { cache } = indexOf(['0 /there'])
    expect((await scan(cache)).outcome.totalPruned).toBe(0)
    expect((await scan(cache, true)).outcome.totalPruned).toBe(1)
    const left = await history.read((_db, sql) => sql`SELECT id FROM downloads ORDER BY id`)
    expect(left.map(({ id }) => Number(id))).toEqual([2, 3])
  })
})

describe('verdict', () => {
  test.each([
    ['present', 5, 5, 'monolithic', false],
    ['absent', 5, 0, 'bare_metal', true],
    ['absent', 0, 5, 'monolithic', true],
    ['absent', 0, 5, 'bare_metal', false],
    ['absent', 0, 0, 'monolithic', false],
    ['none', 5, 5, 'monolithic', false],
    ['unknown', 5, 5, 'monolithic', null],
  ] as const)(
    '%s with %d hit and %d miss bytes, %s: %p',
    (...[evidence, hitBytes, missBytes, scheme, evicted]) => {
      expect(isEvictedBy({ evidence, hitBytes, missBytes, scheme })).toBe(evicted)
    },
  )

  test('for single objects', () => {
    expect(evidenceOf([])).toBe('none')
    expect(evidenceOf([false, null, true])).toBe('present')
    expect(evidenceOf([false, null])).toBe('unknown')
    expect(evidenceOf([false, false])).toBe('absent')
  })
})
