import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { daemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { practiceGame, practiceOrigin } from '../support/practice-origin.ts'
import { partOf, serveLocally } from '../support/stand-ins/serve-locally.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const host = 'cdn.example.test'
const objectBytes = 1000

type Answer = (path: string) => Response | undefined

/** Serves objects `/size/<bytes>/<game>/…`, unless a test answers otherwise for their game. */
function contentOrigin() {
  let requests = 0
  const answers = new Map<string, Answer>()
  const { port, stop } = serveLocally((request) => {
    requests++
    const { pathname } = new URL(request.url)
    const [, bytes, game = ''] = /\/size\/(\d+)\/([^/]+)\//.exec(pathname) ?? []
    const usual = () => partOf(Number(bytes), request.headers.get('range'))
    return answers.get(game)?.(pathname) ?? usual()
  })
  return { port, stop, requestCount: () => requests, answers }
}

const root = tempFolder('prefill-outage')
const origin = contentOrigin()
let proxy: Proxy
beforeAll(async () => {
  proxy = await startProxy(join(root, 'proxy'), '1m', undefined, origin)
})
afterAll(() => proxy.stop())

/** A daemon whose only game has objects under these hosts. */
async function fixture(game: string, { objects, hosts = [host] }: Fixture) {
  const games = [practiceGame(game, { objects, bytes: objectBytes })]
  const catalogue = practiceOrigin({ hosts: [...hosts], games })
  const environment = {
    PREFILL_PRACTICE_ORIGIN: catalogue.url,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
    LOG_LEVEL: 'fatal',
  }
  const daemon = daemonProcess({ platform: 'gamma', folder: tempFolder('daemon'), environment })
  const client = await daemon.connect()
  const prefill = (force = false) => client.ask('prefill', { all: 'true', force: String(force) })
  return { client, prefill, last: () => client.progress().at(-1) }
}
interface Fixture {
  objects: number
  hosts?: readonly string[]
}

/** The cache status of each request of a daemon since a position in nginx's own log. */
function cacheStates(game: string, from: number): Map<string, string> {
  const log = readFileSync(join(proxy.plainLogs, 'access.log'), 'latin1').slice(from)
  const lines = log.split('\n').filter((line) => line.includes(`/${game}/`))
  return new Map(
    lines.map((line) => {
      const [, path = '', bytes, state] =
        /"GET (\S+) \S+" (?:\d+ (\d+)) .* "(\w+)" "/.exec(line) ?? []
      return [path, `${state} ${bytes}`]
    }),
  )
}
const logEnd = () => readFileSync(join(proxy.plainLogs, 'access.log'), 'latin1').length

test('the cache restarts twice during a prefill of 6,000 objects', async () => {
  const objects = 6000
  const { client, prefill, last } = await fixture('large', { objects })
  await prefill()
  for (const share of [0.2, 0.6]) {
    const isFarEnough = () => (last()?.bytesDownloaded ?? 0) > share * objects * objectBytes
    await eventually(isFarEnough, 'a part of the run is done')
    await proxy.restart(() =>
      eventually(() => last()?.state === 'waiting-for-cache', 'the run waits for the cache'),
    )
  }
  expect(await client.ended(1)).toMatchObject({
    state: 'completed',
    updatedApps: 1,
    failedApps: 0,
  })
  const from = logEnd()
  await prefill(true)
  const bytes = objects * objectBytes
  expect(await client.ended(2)).toMatchObject({ updatedApps: 1, hitBytes: bytes, missBytes: 0 })
  const states = cacheStates('large', from)
  expect(states.size).toBe(objects)
  expect(new Set(states.values())).toEqual(new Set([`HIT ${objectBytes}`]))
}, 120_000)

const html = { 'Content-Type': 'text/html' }
const part = { 'Content-Range': 'bytes 0-99/100' }
const wrongBodies: Record<string, () => Response> = {
  page: () => new Response('<html>Please sign in</html>', { headers: html }),
  empty: () => new Response(''),
  shorter: () => new Response(new Uint8Array(100), { status: 206, headers: part }),
}

const isChosen = (path: string) => path.endsWith('7')

test.concurrent(
  'errors of the origin for some seconds, with 1, 3, 4 and 8 hosts: everything comes',
  async () => {
    const objects = 500
    const runs = await Promise.all(
      [1, 3, 4, 8].map(async (count) => {
        const hosts = Array.from({ length: count }, (_, index) => `${index}.${host}`)
        return { game: `hosts-${count}`, ...(await fixture(`hosts-${count}`, { objects, hosts })) }
      }),
    )
    let faults = 0
    const busy = { status: 429, headers: { 'Retry-After': '1' } }
    const answer: Answer = (path) => {
      // Some are there at once, so that errors come in the middle of a run.
      if (/\d\/\d$/.test(path)) return undefined
      return faults++ % 2 === 0 ? new Response('', { status: 502 }) : new Response('', busy)
    }
    for (const { game } of runs) origin.answers.set(game, answer)
    await Promise.all(runs.map(({ prefill }) => prefill()))
    for (const { last } of runs) {
      await eventually(() => last()?.state === 'waiting-for-cache', 'the run waits')
    }
    const atFirst = faults
    // Waiting runs send one request at a time, with pauses of at least a second.
    await eventually(() => faults >= atFirst + runs.length, 'each has tried again')
    expect(faults).toBeLessThan(200)
    for (const { game } of runs) origin.answers.delete(game)
    for (const { client, game } of runs) {
      const ended = { state: 'completed', updatedApps: 1, failedApps: 0 }
      expect(await client.ended(1)).toMatchObject(ended)
      expect(cacheStates(game, 0).size).toBe(objects)
    }
    const from = logEnd()
    for (const { client, prefill, game } of runs) {
      await prefill(true)
      expect(await client.ended(2)).toMatchObject({ missBytes: 0 })
      expect(new Set(cacheStates(game, from).values())).toEqual(new Set([`HIT ${objectBytes}`]))
    }
  },
  120_000,
)

test.concurrent(
  'wrong bodies that the origin sends, too, fail the game until that has ended',
  async () => {
    const names = Object.keys(wrongBodies)
    // All at the same time, because failed objects are repeated after pauses.
    const runs = await Promise.all(names.map((name) => fixture(`sent-${name}`, { objects: 10 })))
    for (const [name, wrong] of Object.entries(wrongBodies)) {
      origin.answers.set(`sent-${name}`, (path) => (isChosen(path) ? wrong() : undefined))
    }
    await Promise.all(runs.map(({ prefill }) => prefill()))
    for (const { client } of runs) {
      expect(await client.ended(1)).toMatchObject({ updatedApps: 0, failedApps: 1 })
      const failed = client.progress().find(({ result }) => result === 'Failed')
      expect(failed?.errorMessage).toContain(`instead of ${objectBytes}: http://${host}/size/`)
    }
    for (const name of names) origin.answers.delete(`sent-${name}`)
    for (const { client, prefill } of runs) {
      await prefill()
      // None was recorded as up to date.
      expect(await client.ended(2)).toMatchObject({ updatedApps: 1, alreadyUpToDate: 0 })
    }
  },
  120_000,
)

test.each(Object.entries(wrongBodies))(
  '%s that the cache holds is replaced',
  async (name, wrong) => {
    const game = `stored-${name}`
    const { client, prefill } = await fixture(game, { objects: 30 })
    origin.answers.set(game, (path) => (isChosen(path) ? wrong() : undefined))
    for (const number of [7, 17, 27]) {
      const url = `http://127.0.0.1:${proxy.port}/size/${objectBytes}/${game}/${number}`
      const stored = await fetch(url, { headers: { host } })
      expect((await stored.arrayBuffer()).byteLength).not.toBe(objectBytes)
    }
    origin.answers.delete(game)
    await prefill()
    expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 0 })
    const from = logEnd()
    await prefill(true)
    await client.ended(2)
    const states = cacheStates(game, from)
    expect(states.size).toBe(30)
    expect(new Set(states.values())).toEqual(new Set([`HIT ${objectBytes}`]))
  },
)
