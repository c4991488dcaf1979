import { describe, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { jobEnd } from '../../../test/support/job-end.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'

const line = (depot: number, chunk: string) =>
  `[steam] 10.0.0.1 / - - - [20/Nov/2026:21:52:49 +0000] "GET /depot/${depot}/chunk/${chunk} HTTP/1.1" ` +
  '200 100 "-" "-" "HIT" "lancache.steamcontent.com" "-"\n'

const history = await freshHistory()
const app = await testApp({ history, isIndexing: true })
const user = await signInAs(app, 'user')
await Bun.write(join(app.root, 'logs', 'access.log'), line(11, 'aa') + line(12, 'bb'))
for (const [id, depotId] of [
  [1, 11],
  [2, 12],
] as const) {
  const titleKey = `alpha:${depotId}`
  await putDownloads(history, { id, titleKey, objects: [`0 /depot/${depotId}/chunk/c`] })
  await putTitles(history, { titleKey, gameAppId: depotId * 10, depotId })
}

const bodyOf = async (response: Response) => JSON.parse(await response.text())
const cacheFile = (depot: number) => ({
  key: sliceKey('steam', `/depot/${depot}/chunk/c`, 0),
  body: new Uint8Array(100),
  storedAt: 1_795_000_000,
})
const ended = async (id: string) => (await jobEnd(app.operations, id)).status
const scan = async () => {
  const response = await user.post('/api/stats/eviction/reconcile')
  expect(response.status).toBe(200)
  return ended((await bodyOf(response)).operationId)
}
const downloads = () =>
  history.read(async (_db, sql) => {
    const rows = await sql<{ id: string; e: boolean }[]>`
      SELECT id, is_evicted AS e FROM downloads ORDER BY id`
    return rows.map(({ id, e }) => [Number(id), e])
  })

describe('settings', () => {
  test('have defaults, change individually, and refuse an unknown mode', async () => {
    const read = async () => bodyOf(await user.get('/api/stats/eviction'))
    const defaults = {
      evictedDataMode: 'show',
      evictionScanNotifications: false,
      pruneOrphanedDownloads: false,
      operationId: null,
    }
    expect(await read()).toEqual(defaults)
    const change = (body: object) => user.put('/api/stats/eviction', body)
    expect((await change({ evictedDataMode: 'SHOWCLEAN' })).status).toBe(200)
    expect((await change({ evictionScanNotifications: true })).status).toBe(200)
    expect(await read()).toEqual({
      ...defaults,
      evictedDataMode: 'showClean',
      evictionScanNotifications: true,
    })
    const refused = await change({ evictedDataMode: 'gone', pruneOrphanedDownloads: true })
    expect(refused.status).toBe(400)
    expect(await bodyOf(refused)).toMatchObject({ error: 'Invalid eviction mode' })
    await change({ evictedDataMode: 'show', evictionScanNotifications: false })
    expect(await read()).toEqual(defaults)
  })

  test('share the notifications of scheduled scans with the schedule', async () => {
    const path = '/api/system/schedules/cacheReconciliation'
    const mode = async () => (await bodyOf(await user.get(path))).notificationMode
    const shown = async () =>
      (await bodyOf(await user.get('/api/stats/eviction'))).evictionScanNotifications
    await user.put(`${path}/notificationMode`, 'all')
    expect(await shown()).toBe(true)
    await user.put('/api/stats/eviction', { evictionScanNotifications: false })
    expect([await shown(), await mode()]).toEqual([false, 'manual'])
    await user.put('/api/stats/eviction', { evictionScanNotifications: true })
    expect(await mode()).toBe('all')
    await user.put(`${path}/notificationMode`, 'silent')
    expect(await shown()).toBe(false)
  })
})

describe('scan', () => {
  test('skips an empty cache, then reports what is evicted', async () => {
    expect(await scan()).toBe('skipped')
    expect(await downloads()).toEqual([
      [1, false],
      [2, false],
    ])
    writeCacheFile(join(app.root, 'cache'), cacheFile(11))
    expect(await scan()).toBe('completed')
    expect(await downloads()).toEqual([
      [1, false],
      [2, true],
    ])
    expect(await bodyOf(await user.get('/api/stats/eviction/scan/status'))).toMatchObject({
      isProcessing: false,
      status: 'completed',
    })
  })

  test('clears the flag when the files are back, and on request', async () => {
    const path = writeCacheFile(join(app.root, 'cache'), cacheFile(12))
    await scan()
    expect((await downloads()).map(([, isEvicted]) => isEvicted)).toEqual([false, false])
    rmSync(path)
    await scan()
    const reset = await user.post('/api/stats/eviction/reset')
    expect(await bodyOf(reset)).toEqual({ reset: 1 })
    expect((await downloads()).map(([, isEvicted]) => isEvicted)).toEqual([false, false])
    await scan()
  })

  test('a cache that was cleared tells that everything is gone; one that is away does not', async () => {
    const cleared = await bodyOf(await user.delete('/api/cache'))
    expect(await ended(cleared.operationId)).toBe('completed')
    await user.post('/api/stats/eviction/reset')
    expect(await scan()).toBe('completed')
    expect((await downloads()).map(([, isEvicted]) => isEvicted)).toEqual([true, true])
    await user.post('/api/stats/eviction/reset')
    // Another folder takes the place of the one that was cleared, as when its disk is not mounted.
    const cache = join(app.root, 'cache')
    renameSync(cache, `${cache}-away`)
    mkdirSync(cache)
    expect(await scan()).toBe('skipped')
    expect((await downloads()).map(([, isEvicted]) => isEvicted)).toEqual([false, false])
    rmSync(cache, { recursive: true })
    renameSync(`${cache}-away`, cache)
    writeCacheFile(cache, cacheFile(11))
    expect(await scan()).toBe('completed')
    expect((await downloads()).map(([, isEvicted]) => isEvicted)).toEqual([false, true])
  })
})

test('answers 202 for a queued scan, 200 for one already running', async () => {
  const release = Promise.withResolvers<void>()
  const other = app.operations.submit({
    type: 'logProcessing',
    scope: 'bulk',
    name: 'Held up',
    async run() {
      await release.promise
      return { kind: 'completed' }
    },
  })
  const parked = await user.post('/api/stats/eviction/reconcile')
  expect(parked.status).toBe(202)
  const waiting = await bodyOf(parked)
  expect(waiting).toMatchObject({ queued: true, alreadyRunning: false, status: 'waiting' })
  release.resolve()
  expect(await ended(other.operationId)).toBe('completed')
  expect(await ended(waiting.operationId)).toBe('completed')
})

describe('removal', () => {
  test.each([
    ['/api/cache/evicted/named?key=x', /named/],
    ['/api/cache/evicted/gamma?key=x', /scope/i],
    ['/api/cache/evicted/alpha', /key/],
    ['/api/cache/evicted/alpha?key=ten', /whole number/],
    ['/api/cache/evicted/named/steam/%20', /name/i],
  ])('DELETE %s is refused with the reason', async (path, reason) => {
    const response = await user.delete(path)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).error).toMatch(reason)
  })

  const evictedSum = () =>
    history.read(async (_db, sql) => {
      const [row] = await sql<{ sum: number }[]>`
        SELECT sum(evicted)::int FROM title_groups WHERE title_key = 'alpha:12' AND span_days = 0`
      return row?.sum
    })

  test('another game changes nothing; the given one loses its rows and log lines', async () => {
    await app.logs.start()
    const remove = async (path: string) => {
      const response = await user.delete(path)
      expect(response.status).toBe(202)
      expect(await ended((await bodyOf(response)).operationId)).toBe('completed')
    }
    // Retention has deleted an evicted download of this title, and its sums are kept.
    await history.read((_db, sql) =>
      sql.begin(async (transaction) => {
        await transaction`INSERT INTO downloads SELECT * FROM jsonb_populate_record(
          (SELECT d FROM downloads d WHERE id = 2), '{"id": 4}')`
        await transaction`SELECT set_config('larder.keeps_sums', 'on', true)`
        await transaction`DELETE FROM downloads WHERE id = 4`
      }),
    )
    expect(await evictedSum()).toBe(2)
    await remove('/api/cache/evicted/alpha?key=110')
    await remove('/api/cache/evicted/service?key=steam')
    expect(await downloads()).toHaveLength(2)
    await remove('/api/cache/evicted/ALPHA?key=120')
    expect(await downloads()).toEqual([[1, false]])
    expect(await evictedSum()).toBe(0)
    expect(await Bun.file(join(app.root, 'logs', 'access.log')).text()).toBe(line(11, 'aa'))
  })

  test('runs after a scan in mode remove, including downloads evicted earlier', async () => {
    const mode = async (evictedDataMode: string) =>
      bodyOf(await user.put('/api/stats/eviction', { evictedDataMode }))
    await ended((await mode('remove')).operationId)
    const objects = ['0 /depot/12/chunk/gone']
    await putDownloads(history, { id: 3, titleKey: 'alpha:12', isEvicted: true, objects })
    expect(await scan()).toBe('completed')
    const removal = app.operations.list().find(({ type, scope, finishedAt }) => {
      return type === 'evictionRemoval' && scope === 'bulk' && finishedAt === null
    })
    expect(await ended(String(removal?.id))).toBe('completed')
    expect(await downloads()).toEqual([[1, false]])
    await mode('show')
  })
})
