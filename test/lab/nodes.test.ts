import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { cleanups } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { deltaStandIn, practiceRelease } from '../support/stand-ins/delta.ts'
import { serveLocally } from '../support/stand-ins/serve-locally.ts'
import { filesOf } from './cache-files.ts'
import { startOrigin } from './origin.ts'
import { createWire, LabNode } from './lab-node.ts'
import { labAccount, Larder } from './larder.ts'
import { memoryOf } from './processes.ts'
import { alphaHeaders, download } from './proxy.ts'
import { referenceCount } from './reference-count.ts'

const root = tempFolder('nodes')
const game = deltaStandIn('valorant')
const names = ['attic', 'barn', 'cellar'] as const
const nodes = new Map<string, LabNode>()
let larder: Larder
let owner: Visitor
let wires: ReturnType<typeof createWire>[]

const options = () => ({
  dataPath: join(root, 'data'),
  cachePath: join(root, 'cache'),
  // No cache of its own.
  sources: [],
  environment: {
    Delta__PatchlineBaseUrl: game.configBaseUrl,
    Delta__SieveBaseUrl: game.sieveBaseUrl,
  },
})
const portOf = (url: string) => Number(new URL(url).port)
const nodeOf = (name: string): LabNode => {
  const node = nodes.get(name)
  if (node === undefined) throw new Error(`there is no node ${name}`)
  return node
}
const logOf = (name: string) =>
  readFileSync(join(nodeOf(name).proxy.plainLogs, 'access.log'), 'utf8')

beforeAll(async () => {
  larder = await Larder.start(options())
  owner = await larder.firstSignIn()
  wires = names.map(() => createWire(portOf(larder.url)))
  for (const [at, name] of names.entries()) {
    const invited = await owner.request('POST', '/api/ext/nodes', { name })
    expect(invited.status).toBe(201)
    const { token } = (await invited.json()) as { token: string }
    const serviceUrl = wires[at]?.url ?? ''
    const joining = { root: join(root, name), name, serviceUrl, token, origin: originWithGame() }
    nodes.set(name, await LabNode.start(joining))
  }
}, 180_000)

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

/** An origin that also has the game. */
function originWithGame() {
  const origin = startOrigin()
  const { port, stop } = serveLocally((request) => {
    const { pathname } = new URL(request.url)
    const to = pathname.startsWith('/channels/') ? game.port : origin.port
    return fetch(`http://127.0.0.1:${to}${pathname}`, { headers: request.headers })
  })
  cleanups.push(() => Promise.resolve(stop()))
  return { ...origin, port }
}

let requests = 0
/** Requests of several clients for a few objects, so that some are hits. */
async function load(name: string, count: number): Promise<void> {
  const { port } = nodeOf(name).proxy
  for (let at = 0; at < count; at++) {
    const from = `127.0.0.${2 + (requests % 5)}`
    const path = `/size/${20_000 + 1000 * (requests % 4)}/depot/${730 + (requests % 4)}/chunk/${requests % 7}`
    requests++
    await download({ port, path, from, headers: alphaHeaders })
  }
}

/** The history has what the node's log says, once. */
async function untilCounted(name: string): Promise<void> {
  const expected = () => referenceCount(logOf(name), 'plain')
  const isSame = async () =>
    Bun.deepEquals(await larder.shipped(name).catch(() => ({})), expected())
  // The comparison below shows the difference, which a timeout cannot.
  await eventually(isSame, `the history has the requests of ${name}`).catch(() => {})
  expect(await larder.shipped(name)).toEqual(expected())
}

const read = <T>(path: string) => owner.read<T>(path)
const stateOf = async (name: string) => {
  const { items } = await read<{ items: { name: string; state: string }[] }>('/api/ext/nodes')
  return items.find((node) => node.name === name)?.state
}
const untilConnected = (name: string) =>
  eventually(
    async () => (await stateOf(name).catch(() => null)) === 'connected',
    `${name} is connected:\n${nodeOf(name).output.slice(-2000)}`,
  )

describe('three nodes of one service', () => {
  test('the requests of each reach the history', async () => {
    for (const name of names) await untilConnected(name)
    await Promise.all(names.map((name) => load(name, 40)))
    for (const name of names) await untilCounted(name)
  }, 180_000)

  test('their datasources are listed', async () => {
    const { dataSources } = await read<{ dataSources: { name: string; cachePath: string }[] }>(
      '/api/system/config',
    )
    expect(dataSources.map(({ name }) => name).toSorted()).toEqual([...names])
    const megabytes = memoryOf([nodeOf('attic').pid]) / 1024 / 1024
    expect(megabytes).toBeLessThan(200)
  }, 60_000)

  test('a node that is killed, one that is cut off, and a killed service lose and double nothing', async () => {
    const [killed, cut, plain] = names
    const loads = Promise.all(names.map((name) => load(name, 60)))
    await nodeOf(killed).kill()
    wires[1]?.cut()
    await load(cut, 30)
    await load(killed, 20)
    await loads
    nodeOf(killed).start()
    await larder.kill()
    await load(plain, 30)
    larder = await Larder.start(options())
    for (const wire of wires) wire.lead(portOf(larder.url))
    await load(cut, 20)
    wires[1]?.mend()
    for (const name of names) await untilCounted(name)
  }, 240_000)
})

interface View {
  status: string
  error: string | null
  context: Record<string, unknown> | null
}

/** Starts an operation and returns how it ended. */
async function ended(method: string, path: string): Promise<View> {
  const response = await owner.request(method, path)
  const text = await response.text()
  if (response.status !== 202) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  const { operationId } = JSON.parse(text) as { operationId: string }
  let view: View = { status: '', error: null, context: null }
  await eventually(async () => {
    view = await read<View>(`/api/operations/${operationId}`)
    return ['completed', 'failed', 'cancelled'].includes(view.status)
  }, `${method} ${path} ends`)
  return view
}

async function finished(method: string, path: string): Promise<void> {
  const { status, error } = await ended(method, path)
  expect({ status, error }).toEqual({ status: 'completed', error: null })
}

const cacheOf = (name: string) => filesOf(nodeOf(name).proxy.cachePath)
const keysOf = (name: string, tag: string) =>
  cacheOf(name).filter(({ key }) => key.startsWith(`${tag}/`))
const everywhere = (tag: string) => names.map((name) => keysOf(name, tag).length)
const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)

describe('operations on the caches of three nodes', () => {
  const update = (at: number) => `/size/30000/msdownload/update/${at}.cab`

  beforeAll(async () => {
    owner = new Visitor(larder.url)
    await owner.signIn(installationKey(larder.dataPath), labAccount)
    for (const [count, name] of names.entries()) {
      await untilConnected(name)
      for (let at = 0; at <= count; at++) {
        const { port } = nodeOf(name).proxy
        await download({ port, path: update(at), headers: { host: 'wsus.example.test' } })
      }
    }
    await eventually(() => Bun.deepEquals(everywhere('wsus'), [1, 2, 3]), 'all cache files')
  }, 180_000)

  test('a prefill goes through the cache that was chosen, and is current there alone', async () => {
    game.publish('1.0', practiceRelease())
    const bundles = (name: string) =>
      cacheOf(name).filter(({ key }) => key.includes('.bundle')).length
    const inLogs = (text: string) => names.map((name) => logOf(name).includes(text))
    await owner.write('POST', '/api/system/prefill/persistent/start', { service: 'delta' })
    const schedules = '/api/ext/prefill/schedules'
    const once = { platform: 'delta', enabled: false, notificationMode: 'all', intervalHours: 0 }
    const what = { preset: 'All', selectedAppIds: ['valorant'] }
    async function run(name: string) {
      const body = { ...once, ...what, name: `to ${name}`, cache: name }
      const added = await owner.request('POST', schedules, body)
      const { id } = (await added.json()) as { id: string }
      await finished('POST', `${schedules}/${id}/run`)
    }
    expect(await read<string[]>(`${schedules}/caches`)).toEqual([...names])
    await run('barn')
    expect(inLogs('.bundle')).toEqual([false, true, false])
    // By its mark the requests are recognised as prefill.
    expect(inLogs('lancache-heartbeat?')).toEqual([false, true, false])
    expect(names.map(bundles)).toEqual([0, bundles('barn'), 0])
    const filled = bundles('barn')
    expect(filled).toBeGreaterThan(0)
    await run('cellar')
    expect(names.map(bundles)).toEqual([0, filled, filled])
    await untilCounted('barn')
  }, 180_000)

  test('detection finds what lies in all caches', async () => {
    // The first may join the run that the service starts by itself, which began before the call.
    await finished('POST', '/api/games/detect')
    await finished('POST', '/api/games/detect')
    type Found = { cache_files_found: number }
    const { games, services } = await read<{
      games: Found[]
      services: (Found & { service_name: string })[]
    }>('/api/games/detect/cached')
    const updates = services.find(({ service_name: name }) => name === 'wsus')
    expect(updates?.cache_files_found).toBe(6)
    const all = [...games, ...services].map((found) => found.cache_files_found)
    expect(sum(all)).toBe(sum(names.map((name) => cacheOf(name).length)))
  }, 180_000)

  test('a corrupted file is found and removed on its node', async () => {
    const paths = names.flatMap((name) => cacheOf(name).map(({ path }) => path))
    const [damaged] = keysOf('cellar', 'steam')
    truncateSync(damaged?.path ?? '', (damaged?.bytes ?? 0) - 1000)
    // A scan skips files younger than ten minutes.
    const anHourAgo = Date.now() / 1000 - 3600
    for (const path of paths) utimesSync(path, anHourAgo, anHourAgo)
    await finished('POST', '/api/cache/corruption/detect?detectionMethod=structural')
    const { corruptionCounts, scanId } = await read<{
      corruptionCounts: Record<string, number>
      scanId: string
    }>('/api/cache/corruption/cached?detectionMethod=structural')
    expect(corruptionCounts).toEqual({ steam: 1 })
    await finished('DELETE', `/api/cache/services/steam/corruption?scanId=${scanId}`)
    expect(paths.filter((path) => !existsSync(path))).toEqual([damaged?.path ?? ''])
  }, 180_000)

  test('a removal reaches the files and the log lines of every node', async () => {
    const others = everywhere('steam')
    await finished('DELETE', '/api/cache/services/wsus?purgeLogs=true')
    expect(everywhere('wsus')).toEqual([0, 0, 0])
    expect(everywhere('steam')).toEqual(others)
    for (const name of names) expect(logOf(name)).not.toContain('msdownload')
  }, 180_000)

  test('one cache is cleared; one that is away is refused', async () => {
    const [attic = 0, barn = 0, cellar = 0] = everywhere('steam')
    await finished('DELETE', '/api/cache/datasources/barn')
    expect(everywhere('steam')).toEqual([attic, 0, cellar])
    expect(barn).toBeGreaterThan(0)
    wires[2]?.cut()
    await eventually(async () => (await stateOf('cellar')) === 'away', 'cellar is away')
    const refused = await owner.request('DELETE', '/api/cache/datasources/cellar')
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain('The node cellar is away since')
    expect(everywhere('steam')).toEqual([attic, 0, cellar])
  }, 180_000)
})
