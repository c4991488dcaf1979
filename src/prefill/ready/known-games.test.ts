import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import type { ReadyBoard, Suggestions } from './model.ts'

const path = '/api/ext/prefill/ready'
const now = '2026-11-21T12:00:00.000Z'
const nowS = Date.parse(now) / 1000
const time = new ManualTime(now)
const names = { fenris: 'Diablo IV', pro: 'Overwatch', wow: 'World of Warcraft' }

/** A file of a product in the cache; returns its path and its size. */
function cached(product: string, bodyBytes: number) {
  const key = sliceKey('blizzard', `/tpr/${product}/data/${bodyBytes}`, 0)
  const stored = { key, body: new Uint8Array(), bodyBytes, storedAt: nowS - 86_400 }
  const file = writeCacheFile(join(app.root, 'cache'), stored)
  return { file, bytes: Bun.file(file).size }
}

async function walked(): Promise<void> {
  const run = { signal: new AbortController().signal, progress() {} }
  await app.cache.walk({ datasource: null, depth: 'directories', accept: true }, run)
}

let downloads = 0
/** A download that ended so many days ago. */
async function downloaded(titleKey: string, client: string, days: number, isPrefill = false) {
  const endedAt = nowS - days * 86_400
  const service = titleKey.startsWith('alpha') ? 'steam' : 'blizzard'
  const row = {
    titleKey,
    client,
    service,
    isPrefill,
    missBytes: 20,
    startedAt: endedAt - 60,
    endedAt,
  }
  await putDownloads(history, { id: ++downloads, ...row })
  return downloads
}

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const board = () => json<ReadyBoard>(owner.get(path))
const game = async (appId: string) => (await board()).games.find((one) => one.appId === appId)

const history = await freshHistory()
const daemon = await daemonStandIn('gamma')
daemon.on('get-owned-games', () => ({
  success: true,
  data: Object.entries(names).map(([appId, name]) => ({ appId, name: `${name}®` })),
}))
daemon.on('check-cache-status', ({ parameters }) => {
  const ids = JSON.parse(parameters['appIds'] ?? '[]') as string[]
  const apps = ids.map((appId) => ({ appId, name: appId, isUpToDate: true }))
  return { success: true, data: { apps } }
})
daemon.on('get-selected-apps', () => ({ success: true, data: [] }))
daemon.on('get-selected-apps-status', () => ({
  success: true,
  data: {
    apps: Object.keys(names).map((appId) => ({ appId, downloadSize: 100_000, isUpToDate: true })),
  },
}))
const { environment } = daemon
const app = await testApp({ history, isIndexing: true, clock: time, timers: time, environment })
app.settings.set('setup.isCompleted', true)
const owner = await signInOwner(app)
await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
await putTitles(history, {
  titleKey: 'alpha:731',
  gameName: 'Counter-Strike 2',
  gameAppId: 730,
})
for (const [product, gameName] of Object.entries(names)) {
  await putTitles(history, { titleKey: `gamma:${product}`, gameName })
}

test('a game is ready while the cache has it; pinned games and those of the board stay', async () => {
  const [fenris, pro, wow] = [
    cached('fenris', 90_000),
    cached('pro', 40_000),
    cached('wow', 30_000),
  ]
  cached('fenris', 1000)
  await walked()
  const both = await app.groups.cache.stock.read()
  const bytesOf = (name: string) => both.games.find((one) => one.name === name)?.bytes ?? 0
  expect(bytesOf('Diablo IV')).toBeGreaterThan(fenris.bytes)
  expect(bytesOf('Overwatch')).toBe(pro.bytes)
  await owner.put('/api/ext/retention/pins', { gameKey: 'named:blizzard:Overwatch', name: 'x' })
  const games = [
    { platform: 'gamma', appId: 'fenris', name: 'DIABLO IV™' },
    { platform: 'gamma', appId: 'wow', name: names.wow },
  ]
  await owner.post(`${path}/games`, { games })
  await eventually(async () => (await game('wow'))?.totalBytes === 100_000, 'the sizes are known')
  await time.advance(11_000)
  expect(await board()).toMatchObject({ verdict: 'unknown', evictableBytes: 0, fits: 'yes' })
  expect((await board()).freeBytes).toBeGreaterThan(0)
  expect(await game('fenris')).toMatchObject({ state: 'ready', missingBytes: 0 })
  // Less than half of its size.
  const missing = { state: 'missing', onDiskBytes: wow.bytes, missingBytes: 100_000 - wow.bytes }
  expect(await game('wow')).toMatchObject(missing)
  await owner.delete('/api/ext/retention/pins?gameKey=named%3Ablizzard%3AOverwatch')
  await owner.delete(`${path}/games/gamma/wow`)
  await time.advance(11_000)
  expect((await board()).evictableBytes).toBe(pro.bytes + wow.bytes)
  rmSync(fenris.file)
  await walked()
  await time.advance(11_000)
  expect((await game('fenris'))?.state).toBe('missing')
  // Its daemon would skip what it knows as downloaded.
  await app.groups.prefill.sessions.recovered.promise
  await owner.post(`${path}/make`)
  await eventually(() => daemon.commands('prefill').length === 1, 'the run begins')
  expect(daemon.commands('prefill')[0]?.parameters).toMatchObject({ force: 'true' })
  const run = { currentAppId: 'fenris', currentAppName: names.fenris, totalBytes: 100_000 }
  daemon.progress({ state: 'downloading', ...run, bytesDownloaded: 500 })
  daemon.progress({ state: 'app_completed', ...run, bytesDownloaded: 100_000, result: 'Success' })
  await time.advance(1)
  daemon.progress({ state: 'completed', updatedApps: 1 })
  // The cache was not read since: the run counts.
  await eventually(async () => (await board()).verdict === 'ready', 'the game is ready')
})

test('suggestions are what clients used lately, and the games of the last event', async () => {
  const clients = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
  for (const client of clients) await downloaded('alpha:731', client, 3)
  for (const client of clients.slice(1)) await downloaded('gamma:wow', client, 59)
  // Too long ago, and no client.
  await downloaded('gamma:wow', '10.0.0.9', 61)
  await downloaded('gamma:wow', '10.0.0.8', 1, true)
  const tagged = await downloaded('gamma:pro', '10.0.0.1', 80)
  const event = (name: string, days: number) =>
    json<{ id: number }>(
      owner.post('/api/events', {
        name,
        startTime: nowS + days * 86_400,
        endTime: nowS + (days + 1) * 86_400,
      }),
    )
  const { id } = await event('Autumn', -80)
  await event('Winter', 20)
  const spring = await event('Spring', -100)
  await owner.post(`/api/events/${id}/downloads/${tagged}`)
  const found = await json<Suggestions>(owner.get(`${path}/suggestions`))
  const bytes = 30
  expect(found).toEqual({
    lastEvent: {
      name: 'Autumn',
      games: [{ platform: 'gamma', appId: 'pro', name: names.pro, bytes, clients: 1 }],
    },
    mostUsed: [
      { platform: 'alpha', appId: '730', name: 'Counter-Strike 2', bytes: 3 * bytes, clients: 3 },
      { platform: 'gamma', appId: 'wow', name: names.wow, bytes: 2 * bytes, clients: 2 },
    ],
  })
  const asked = await json<Suggestions>(owner.get(`${path}/suggestions?eventId=${spring.id}`))
  expect(asked.lastEvent).toEqual({ name: 'Spring', games: [] })
})
