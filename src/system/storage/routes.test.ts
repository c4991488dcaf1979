import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp, type TestAppOptions } from '../../../test/support/app.ts'
import { EngineStandIn } from '../../../test/support/engine-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const gib = 1024 ** 3

/**
 * An application whose folders have answered once: a question has two seconds, and the first one
 * waits for its worker to start.
 */
async function siteWith(logs: string[], options: TestAppOptions = {}): Promise<TestApp> {
  const site = await testApp(options)
  for (const name of logs) writeFileSync(join(site.root, 'logs', name), '')
  const hasAnswered = async () => {
    const sources = await site.datasources.inspect()
    return sources.every(({ log, cache }) => log !== null && cache !== null)
  }
  await eventually(hasAnswered, 'the folders answer')
  return site
}

const environment = { DOCKER_HOST: 'unix:///nowhere/engine.sock' }
const app = await siteWith(['access.log'], { environment })
const user = await signInAs(app, 'user')
const guest = await signInGuest(app)

const json = async (answer: Promise<Response>) => JSON.parse(await (await answer).text())

describe('PUT /api/system/datasources/{name}/cache-size', () => {
  const put = (size: unknown, name = 'default') =>
    user.put(`/api/system/datasources/${name}/cache-size`, { size })
  const capacity = () => statfsSync(app.root).blocks * statfsSync(app.root).bsize

  test.each([
    ['500g', 500 * gib],
    [' 1.5 TB ', 1536 * gib],
    [1_000_000, 1_000_000],
    ['1000000', 1_000_000],
  ])('%p is a limit', async (size, bytes) => {
    expect(await json(put(size, 'DEFAULT'))).toEqual({
      name: 'default',
      cacheSizeOverrideBytes: bytes,
      resolvedCacheSizeBytes: bytes,
      cacheSizeSource: 'manual',
    })
    const config = await json(user.get('/api/system/config'))
    expect(config.dataSources[0]).toMatchObject({ cacheSizeOverrideBytes: bytes })
    const cache = await json(user.get('/api/cache'))
    expect(cache).toMatchObject({ configuredCacheSize: bytes, totalCacheSize: bytes })
  })

  test.each([null, '', 0, '0', 'full', 'Full disk'])('%p means the whole disk', async (size) => {
    await put('1g')
    expect(await json(put(size))).toEqual({
      name: 'default',
      cacheSizeOverrideBytes: null,
      resolvedCacheSizeBytes: capacity(),
      cacheSizeSource: 'fullDisk',
    })
    expect(await json(user.get('/api/cache'))).toMatchObject({
      configuredCacheSize: 0,
      totalCacheSize: capacity(),
      driveState: 'ok',
      hasCacheScan: false,
    })
  })

  test.each(['1.5', '5 apples', '-1', -1, 1.5, true, '9999999t', {}])(
    '%p is refused',
    async (size) => {
      expect((await put(size)).status).toBe(400)
    },
  )

  test('an unknown datasource is 404', async () => {
    expect((await put('1g', 'other')).status).toBe(404)
  })
})

describe('PATCH /api/system/cache-delete-mode', () => {
  const patch = (body: unknown) => user.patch('/api/system/cache-delete-mode', body)
  const mode = async () => (await json(user.get('/api/system/config'))).cacheDeleteMode

  test('stores the choice; without one it is preserve', async () => {
    expect((await json(patch({ deleteMode: 'full' }))).deleteMode).toBe('full')
    expect(await mode()).toBe('full')
    expect((await json(patch({}))).deleteMode).toBe('preserve')
    expect(await mode()).toBe('preserve')
  })

  test('an unknown one is refused', async () => {
    const answer = await patch({ deleteMode: 'shred' })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('Content-Type')).toContain('problem+json')
  })

  test('rsync is accepted only where it is installed', async () => {
    const { available } = await json(user.get('/api/system/rsync/available'))
    expect(available).toBe(Bun.which('rsync') !== null)
    expect((await patch({ deleteMode: 'rsync' })).status).toBe(available ? 200 : 400)
  })
})

describe('GET /api/system/permissions', () => {
  test('folders and the container engine', async () => {
    expect(await json(user.get('/api/system/permissions'))).toEqual({
      cache: { path: join(app.root, 'cache'), exists: true, writable: true, readOnly: false },
      logs: { path: join(app.root, 'logs'), exists: true, writable: true, readOnly: false },
      containerSocket: { available: false },
    })
  })

  test('guests get no paths', async () => {
    const { cache, logs } = await json(guest.get('/api/system/permissions'))
    expect([cache.path, logs.path]).toEqual(['', ''])
    expect(cache.exists).toBe(true)
  })
})

describe('facts', () => {
  test('of the datasource in the configuration', async () => {
    const { dataSources } = await json(user.get('/api/system/config'))
    expect(dataSources[0]).toMatchObject({
      cacheKeyScheme: 'monolithic',
      capabilityDenialReason: null,
      canMapLogicalObjects: true,
      layout: 'monolithic',
      sourceCount: 1,
    })
  })

  test('of every datasource, for account holders', async () => {
    const { items } = await json(user.get('/api/ext/datasources'))
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      name: 'default',
      sliceBytes: 1_048_576,
      sliceSource: 'default',
      denial: null,
      disk: { state: 'ok' },
    })
  })

  test('a site without a clear layout gets the reason', async () => {
    const mixed = await siteWith(['access.log', 'steam-access.log'])
    const someone = await signInAs(mixed, 'user')
    const { dataSources } = await json(someone.get('/api/system/config'))
    expect(dataSources[0]).toMatchObject({ cacheKeyScheme: 'mixed', canMapLogicalObjects: false })
    expect(dataSources[0].capabilityDenialReason).toContain('default')
    await mixed.stop()
  })

  test('from the proxy’s container: its limit, and that it can reopen its logs', async () => {
    const folder = tempFolder('engine')
    const engine = new EngineStandIn(folder)
    engine.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=2t'] }]
    const site = await siteWith([], { environment: { DOCKER_HOST: engine.address } })
    // The page waits a second for the engine; the first answer includes loading the client.
    await site.proxy.availability()
    const someone = await signInAs(site, 'user')
    const { dataSources } = await json(someone.get('/api/system/config'))
    expect(dataSources[0]).toMatchObject({
      resolvedCacheSizeBytes: 2048 * gib,
      cacheSizeSource: 'docker',
      nginxReopenAvailable: true,
      nginxReopenHint: null,
    })
    const { containerSocket } = await json(someone.get('/api/system/permissions'))
    expect(containerSocket).toEqual({ available: true })
    expect(await json(someone.get('/api/cache'))).toMatchObject({
      configuredCacheSize: 2048 * gib,
      totalCacheSize: 2048 * gib,
    })
    await site.stop()
    await engine.stop()
  })

  test('a cache that is away has zeros and a state', async () => {
    const gone = await siteWith([])
    const someone = await signInAs(gone, 'user')
    rmSync(join(gone.root, 'cache'), { recursive: true })
    expect(await json(someone.get('/api/cache'))).toMatchObject({
      driveCapacity: 0,
      usedCacheSize: 0,
      driveState: 'missing',
    })
    mkdirSync(join(gone.root, 'cache'))
    const { failedSections } = await json(someone.get('/api/dashboard/batch'))
    expect(failedSections).not.toContain('cache')
    await gone.stop()
  })
})
