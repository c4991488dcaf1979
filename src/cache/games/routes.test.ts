import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '../../../db/catalog/open.ts'
import { testApp } from '../../../test/support/app.ts'
import { begunJobEnd, jobEnd } from '../../../test/support/job-end.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { createDescriber } from '../../engines/catalogue/describe.ts'
import { CatalogueStore } from '../../engines/catalogue/store.ts'
import { cacheFilePath, sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'

const chunk = (depot: number, n: number) => `/depot/${depot}/chunk/${String(n).padStart(40, 'a')}`
const store = (tag: string, uri: string, slice = 0, bytes = 500) =>
  writeCacheFile(cacheRoot, {
    key: sliceKey(tag, uri, slice),
    body: new Uint8Array(bytes),
    storedAt: 1_795_000_000,
  })

const history = await freshHistory()
const app = await testApp({ history, isIndexing: true })
const user = await signInAs(app, 'user')
const catalogue = new CatalogueStore(openCatalog(join(app.root, 'data')))
const cacheRoot = join(app.root, 'cache')
await Bun.write(join(app.root, 'logs', 'access.log'), '')
for (let n = 0; n < 4; n++) store('steam', chunk(9000011, n))
store('steam', chunk(9000012, 0), 0, 700)
store('blizzard', '/tpr/fenris/data/aa/bb/cc', 1)
store('wsus', '/c/msdownload/update/x.cab')
await history.read(
  (_db, sql) => sql`
  INSERT INTO titles (title_key, platform, service, game_name, game_app_id, depot_id, updated_at)
  VALUES ('alpha:9000011', 'alpha', 'steam', 'Nine', 9, 9000011, now())`,
)

const bodyOf = async (response: Response) => JSON.parse(await response.text())
const cached = async () => bodyOf(await user.get('/api/games/detect/cached'))
const detect = async (query = '') =>
  begunJobEnd(app.operations, await user.post(`/api/games/detect${query}`))

describe('detection', () => {
  test('reports that no detection has run', async () => {
    expect(await cached()).toMatchObject({ hasCachedResults: false, games: [], services: [] })
    expect(await (await user.get('/api/games/detect/active')).json()).toEqual({
      isProcessing: false,
      operation: null,
      showNotification: true,
    })
  })

  test('is skipped without a cache', async () => {
    const environment = { LanCache__LogPath: '', LanCache__CachePath: '' }
    const empty = await testApp({ environment, isIndexing: true })
    const visitor = await signInAs(empty, 'user')
    const started = await visitor.post('/api/system/schedules/gameDetection/run')
    const { operationId } = await bodyOf(started)
    expect(await jobEnd(empty.operations, operationId)).toMatchObject({ status: 'skipped' })
  })

  test('finds games, unknown depots and services with their files and bytes', async () => {
    expect(await detect()).toMatchObject({ status: 'completed' })
    const answer = await cached()
    expect(answer).toMatchObject({
      hasCachedResults: true,
      totalGamesDetected: 3,
      totalServicesDetected: 1,
      games_on_disk_count: 3,
      detection_stale: false,
    })
    const nine = answer.games.find((game: { game_app_id: number }) => game.game_app_id === 9)
    expect(nine).toMatchObject({
      game_name: 'Nine',
      cache_files_found: 4,
      last_stored_at: new Date(1_795_000_000_000).toISOString(),
      depot_ids: [9000011],
      datasources: ['default'],
      service: 'steam',
      is_evicted: false,
    })
    const path = join(cacheRoot, cacheFilePath(sliceKey('steam', chunk(9000011, 0), 0)))
    expect(nine.cache_file_paths).toContain(path)
    expect(nine.sample_urls).toContain(chunk(9000011, 0))
    const names = answer.games.map((game: { game_name: string }) => game.game_name).sort()
    expect(names).toEqual(['Diablo IV', 'Nine', 'Unknown Game (Depot 9000012)'])
    expect(answer.services).toMatchObject([{ service_name: 'wsus', cache_files_found: 1 }])
    const sum = answer.games.reduce(
      (n: number, g: { total_size_bytes: number }) => n + g.total_size_bytes,
      0,
    )
    expect(answer.games_on_disk_bytes).toBe(sum)
    expect(answer.identified_cache_bytes).toBe(sum + answer.identified_service_bytes)
  })

  test('depots without a download get a title, with the name that the catalogue knows', async () => {
    const depots = [{ depotId: 9_000_014, ownerId: 14, name: null }]
    const apps = [{ appId: 14, name: 'Fourteen', dlcIds: [], parentId: null, depots }]
    catalogue.addApps(apps, { source: 'test', since: 1 })
    store('steam', chunk(9000014, 0))
    await detect()
    const titles = await history.read(
      (_db, sql) => sql`SELECT title_key, game_name, game_app_id::int, depot_id::int FROM titles
        WHERE depot_id > 9000011 ORDER BY 1`,
    )
    expect([...titles]).toEqual([
      { title_key: 'alpha:9000012', game_name: null, game_app_id: null, depot_id: 9000012 },
      { title_key: 'alpha:9000014', game_name: 'Fourteen', game_app_id: 14, depot_id: 9000014 },
    ])
    rmSync(join(cacheRoot, cacheFilePath(sliceKey('steam', chunk(9000014, 0), 0))))
    await detect()
  })

  test('the run and its stored result count the same: what is in the cache', async () => {
    await putDownloads(history, { id: 1, service: 'origin', isEvicted: true })
    const totals = { totalGamesDetected: 3, totalServicesDetected: 1 }
    expect((await detect()).context).toMatchObject(totals)
    const { services, ...answer } = await cached()
    expect(services).toMatchObject([{ service_name: 'wsus' }, { service_name: 'origin' }])
    expect(answer).toMatchObject(totals)
    await history.read((_db, sql) => sql`DELETE FROM downloads`)
  })

  test('is repeated by itself when the disk has moved and it takes seconds only', async () => {
    const at = '2020-01-01T00:00:00.000Z'
    const usedBytes = { default: 1 }
    app.settings.set('detection.last', { at, usedBytes, tookMs: 60_000 })
    expect(await cached()).toMatchObject({ detection_stale: true, lastDetectionTime: at })
    expect(app.operations.active('gameDetection')).toBeNull()
    app.settings.set('detection.last', { at, usedBytes, tookMs: 60 })
    expect(await cached()).toMatchObject({ detection_stale: true })
    await eventually(
      () => app.settings.get('detection.last')?.at !== at,
      'the cache was scanned again',
    )
    expect(await cached()).toMatchObject({ detection_stale: false })
    app.settings.set('detection.last', { at, usedBytes, tookMs: 60 })
    expect(await cached()).toMatchObject({ detection_stale: true, lastDetectionTime: at })
    expect(app.operations.active('gameDetection')).toBeNull()
  })

  test('follows the cache, and keeps its result when the folder is empty', async () => {
    rmSync(join(cacheRoot, cacheFilePath(sliceKey('steam', chunk(9000011, 3), 0))))
    expect(await detect('?forceRefresh=true')).toMatchObject({ status: 'completed' })
    const nine = (await cached()).games.find((g: { game_app_id: number }) => g.game_app_id === 9)
    expect(nine.cache_files_found).toBe(3)
    rmSync(cacheRoot, { recursive: true })
    expect(await detect()).toMatchObject({ status: 'failed' })
    expect((await cached()).totalGamesDetected).toBe(3)
  })
})

describe('names given by hand', () => {
  const unnamed = async () => bodyOf(await user.get('/api/ext/games/unnamed'))
  const name = (titleKey: string, gameName: string | null) =>
    user.put('/api/ext/games/name', { titleKey, gameName })

  test('an unknown depot is listed, named and unnamed', async () => {
    const key = 'alpha:9000012'
    expect(await unnamed()).toMatchObject([{ titleKey: key, gameName: null, files: 1 }])
    expect((await name(key, ' Twelve ')).status).toBe(200)
    const games = (await cached()).games.map((game: { game_name: string }) => game.game_name)
    expect(games).toContain('Twelve')
    expect(await unnamed()).toMatchObject([
      { titleKey: key, gameName: 'Twelve', isNamedByHand: true },
    ])
    expect((await name(key, null)).status).toBe(200)
    expect(await unnamed()).toMatchObject([{ titleKey: key, gameName: null }])
  })

  test('an unknown title of the history is listed and named without files in the cache', async () => {
    const key = 'alpha:9000077'
    const known = 'alpha:9000078'
    await putTitles(
      history,
      { titleKey: key, depotId: 9000077 },
      { titleKey: known, depotId: 9000078, gameName: 'Known' },
    )
    const startedAt = 1.6e9
    await putDownloads(
      history,
      { id: 7, titleKey: key, startedAt: 1.7e9, hitBytes: 3000, missBytes: 4000 },
      { id: 8, titleKey: known, startedAt, hitBytes: 9000 },
      { id: 9, titleKey: key, startedAt, client: '10.0.0.2', hitBytes: 500 },
      { id: 10, titleKey: key, startedAt, isPrefill: true, hitBytes: 0, missBytes: 60 },
    )
    const hidden = { rules: [{ ip: '10.0.0.2', mode: 'hide' }] }
    expect((await user.put('/api/stats/exclusions', hidden)).status).toBe(200)
    const [first, second] = await unnamed()
    expect(first).toMatchObject({ titleKey: key, files: 0, downloads: 1, servedBytes: 7000 })
    expect(second).toMatchObject({ titleKey: 'alpha:9000012', files: 1, downloads: 0 })
    const listed = async () => (await bodyOf(await user.get('/api/downloads/retro'))).items[0]
    expect(await listed()).toMatchObject({ appName: 'Unknown/Other', titleKey: key })
    expect((await name(key, 'Seventy-seven')).status).toBe(200)
    expect(await listed()).toMatchObject({ appName: 'Seventy-seven', titleKey: key })
    expect(await bodyOf(await user.get('/api/downloads/7'))).toMatchObject({
      download: { gameName: 'Seventy-seven', titleKey: key },
    })
    expect((await unnamed())[0]).toMatchObject({ gameName: 'Seventy-seven', isNamedByHand: true })
    expect((await name(key, null)).status).toBe(200)
    await history.read((_db, sql) => sql`DELETE FROM downloads`)
  })

  test('is what the log engine calls a title, and its game has its own name without it', async () => {
    const key = 'alpha:9000012'
    const describeTitle = createDescriber(join(app.root, 'data'))
    const described = () => describeTitle(key, 'steam').gameName
    const listed = async () =>
      (await cached()).games.map((game: { game_name: string }) => game.game_name)
    expect((await name(key, 'By hand')).status).toBe(200)
    const depots = [{ depotId: 9_000_012, ownerId: 12, name: null }]
    const apps = [{ appId: 12, name: 'Twelve', dlcIds: [], parentId: null, depots }]
    catalogue.addApps(apps, { source: 'test', since: 1 })
    expect([described(), (await listed()).includes('By hand')]).toEqual(['By hand', true])
    expect((await name(key, null)).status).toBe(200)
    expect([described(), (await listed()).includes('Twelve')]).toEqual(['Twelve', true])
    await history.read((_db, sql) => sql`DELETE FROM titles WHERE title_key = ${key}`)
  })

  test('a title that was never seen cannot be named', async () => {
    expect((await name('alpha:1', 'One')).status).toBe(404)
    expect((await name('', 'One')).status).toBe(400)
  })

  test('files of a game', async () => {
    const response = await user.get('/api/ext/games/files?game=alpha:9')
    expect(await response.json()).toMatchObject({ totalFiles: 3, paths: { length: 3 } })
    expect((await user.get('/api/ext/games/files?game=alpha:1')).status).toBe(404)
  })
})

describe('evicted games', () => {
  const evictedIds = () =>
    history.read(async (_db, sql) => {
      const rows = await sql<{ id: number }[]>`
        SELECT id::int FROM downloads WHERE is_evicted ORDER BY id`
      return rows.map(({ id }) => id)
    })
  const download = (id: number, titleKey: string, uri: string) =>
    putDownloads(history, { id, titleKey, startedAt: 1.79e9, objects: [`0 ${uri}`] })

  test('are listed after clearing, and unmarked when detection finds them again', async () => {
    const storeSlice = () => store('steam', chunk(9000011, 0))
    for (let n = 0; n < 3; n++) store('steam', chunk(9000011, n))
    await download(1, 'alpha:9000011', chunk(9000011, 0))
    await download(2, 'alpha:9000012', chunk(9000012, 0))
    const { operationId } = await bodyOf(await user.delete('/api/cache'))
    await jobEnd(app.operations, operationId)
    expect(await evictedIds()).toEqual([1, 2])
    const after = await cached()
    expect(after).toMatchObject({ hasCachedResults: true, lastDetectionTime: null })
    expect(after).toMatchObject({ totalGamesDetected: 0, games_on_disk_count: 0, services: [] })
    expect(after.games).toMatchObject([
      { game_name: 'Nine', is_evicted: true, cache_files_found: 0, evicted_downloads_count: 1 },
      { game_app_id: 9000012, is_evicted: true, evicted_bytes: 10 },
    ])
    storeSlice()
    expect(await detect()).toMatchObject({ status: 'completed' })
    expect(await evictedIds()).toEqual([2])
    expect((await cached()).games[0]).toMatchObject({ game_name: 'Nine', is_evicted: false })
    const shown = async () => {
      const batch = await bodyOf(await user.get('/api/dashboard/batch'))
      return batch.detection.games.map((game: { game_name: string }) => game.game_name)
    }
    const gone = 'Twelve'
    expect(await shown()).toEqual(['Nine', gone])
    await user.put('/api/stats/eviction', { evictedDataMode: 'hide' })
    expect(await shown()).toEqual(['Nine'])
    await user.put('/api/stats/eviction', { evictedDataMode: 'showClean' })
    expect(await shown()).toEqual(['Nine', gone])
    expect((await cached()).games[1]).toMatchObject({ game_name: gone, is_evicted: false })
    await user.put('/api/stats/eviction', { evictedDataMode: 'show' })
    rmSync(join(cacheRoot, cacheFilePath(sliceKey('steam', chunk(9000011, 0), 0))))
  })
})
