import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alphaStandIns, questChunks } from '../support/alpha-content-site.ts'
import { chunkId } from '../support/alpha-manifest.ts'
import { restored } from '../support/daemon-login.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const { site, pics, environment, code } = alphaStandIns()
const folder = tempFolder('prefill-alpha')
let proxy: Proxy

beforeAll(async () => {
  const origin = {
    port: Number(new URL(site.url).port),
    requestCount: () => site.requests.length,
    stop: () => Promise.resolve(),
  }
  proxy = await startProxy(join(folder, 'proxy'), '64k', undefined, origin)
})
afterAll(() => proxy.stop())

const chunkPaths = () =>
  new Set(
    Object.entries(questChunks).flatMap(([depotId, files]) =>
      files.flat().map((chunk) => `/depot/${depotId}/chunk/${chunkId(chunk)}`),
    ),
  )
const requestedChunks = () => site.requests.filter((path) => path.includes('/chunk/'))

/** A daemon that was signed in before, with the token that was stored then. */
async function daemonOf(username: string, more: Record<string, string> = {}) {
  const own = join(folder, username)
  const stored = { username, refreshToken: site.refreshToken, guardToken: null, logonId: 7 }
  mkdirSync(join(own, 'config'), { recursive: true })
  writeFileSync(join(own, 'config', 'account.json'), JSON.stringify(stored))
  const { connect } = daemonProcess({
    platform: 'alpha',
    folder: own,
    environment: {
      ...environment,
      LANCACHE_IP: `127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: join(import.meta.dir, '../support/tls/localhost.cert.pem'),
      ...more,
    },
  })
  const client = await connect()
  await restored(client)
  return client
}

test('every chunk is cached and nothing else; an update fetches its changes', async () => {
  const client = await daemonOf('ada')
  await client.ask('set-selected-apps', { appIds: '[1000]' })
  await client.ask('prefill')
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0, missBytes: 251_070 })
  const paths = chunkPaths()
  expect(new Set(requestedChunks())).toEqual(paths)
  const asked = site.requests.length
  const headers = { 'user-agent': 'Valve/Steam HTTP Client 1.0', host: new URL(site.url).host }
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${proxy.port}${path}`, { headers })
    await response.arrayBuffer()
    expect(response.headers.get('x-upstream-cache-status')).toBe('HIT')
  }
  expect(site.requests).toHaveLength(asked)

  const added = { name: 'new', bytes: 4321 }
  site.publish(1001, '9911', [...questChunks[1001], [added]])
  pics.manifestCodes.set('1000 9911', code)
  const depots = pics.apps.get(1000)?.info?.['depots'] as Record<string, object>
  depots['1001'] = { manifests: { public: { gid: '9911' } } }
  site.requests.length = 0
  await client.ask('prefill')
  expect(await client.ended(2)).toMatchObject({
    updatedApps: 1,
    hitBytes: 251_070,
    missBytes: added.bytes,
  })
  expect(requestedChunks()).toEqual([`/depot/1001/chunk/${chunkId(added)}`])
}, 120_000)

test('daemons of two accounts prefill the same game together, and know what the other one has', async () => {
  const shared = join(folder, 'shared')
  const folders = { PREFILL_VERSIONS_DIR: shared, PREFILL_CACHE_DIR: join(shared, 'cache') }
  const clients = [await daemonOf('bob', folders), await daemonOf('eve', folders)]
  await Promise.all(clients.map((client) => client.ask('set-selected-apps', { appIds: '[1000]' })))
  const run = async (count: number) => {
    await Promise.all(clients.map((client) => client.ask('prefill')))
    return Promise.all(clients.map((client) => client.ended(count)))
  }
  for (const end of await run(1)) expect(end).toMatchObject({ updatedApps: 1, failedApps: 0 })
  site.requests.length = 0
  for (const end of await run(2)) expect(end).toMatchObject({ alreadyUpToDate: 1, updatedApps: 0 })
  expect(requestedChunks()).toEqual([])
  const late = await daemonOf('mia', folders)
  await late.ask('set-selected-apps', { appIds: '[1000,2000]' })
  await late.ask('prefill')
  expect(await late.ended()).toMatchObject({ alreadyUpToDate: 1, updatedApps: 1 })
}, 120_000)
