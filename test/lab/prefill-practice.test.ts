import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { daemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { practiceOrigin } from '../support/practice-origin.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const host = 'cdn.example.test'
const megabyte = 1024 * 1024
const objectCount = 200

/** 200 objects of one to three slices. */
const objectsOf = (game: string) =>
  Array.from({ length: objectCount }, (_, index) => {
    const bytes = index % 20 === 0 ? 2 * megabyte + 5 : 10_000 + index
    return { path: `/size/${bytes}/${game}/${index}`, bytes }
  })
const slicesOf = (objects: { bytes: number }[]) =>
  objects.reduce((sum, { bytes }) => sum + Math.ceil(bytes / megabyte), 0)

const root = tempFolder('prefill-practice')
let proxy: Proxy
beforeAll(async () => {
  proxy = await startProxy(join(root, 'proxy'))
})
afterAll(() => proxy.stop())

const states = (objects: { path: string }[]) =>
  Promise.all(
    objects.map(async ({ path }) => {
      const url = `http://127.0.0.1:${proxy.port}${path}`
      const response = await fetch(url, { headers: { host } })
      await response.arrayBuffer()
      return response.headers.get('x-upstream-cache-status')
    }),
  )

function fixture(game: string) {
  const objects = objectsOf(game)
  const games = [{ appId: game, name: game, version: '1', objects }]
  const origin = practiceOrigin({ hosts: [host], games })
  const folder = tempFolder('daemon')
  const environment = {
    PREFILL_PRACTICE_ORIGIN: origin.url,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
  }
  const start = () => daemonProcess({ platform: 'gamma', folder, environment })
  return { objects, start }
}

test('after a run every object is served from the cache', async () => {
  const { objects, start } = fixture('whole')
  const before = proxy.originRequests()
  const client = await start().connect()
  await client.ask('prefill', { all: 'true' })
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0)
  expect(await client.ended()).toMatchObject({
    state: 'completed',
    updatedApps: 1,
    totalBytesTransferred: bytes,
    missBytes: bytes,
  })
  expect(new Set(await states(objects))).toEqual(new Set(['HIT']))
  expect(proxy.originRequests() - before).toBe(slicesOf(objects))
  await client.ask('prefill', { all: 'true', force: 'true' })
  expect(await client.ended(2)).toMatchObject({ hitBytes: bytes, missBytes: 0 })
})

test('a killed run is resumed without requesting again what is there', async () => {
  const { objects, start } = fixture('killed')
  const before = proxy.originRequests()
  const first = start()
  const client = await first.connect()
  // Slow enough to be killed in the middle.
  await client.ask('set-bandwidth', { bytesPerSecond: String(8 * megabyte) })
  await client.ask('prefill', { all: 'true' })
  const done = () => client.progress().at(-1)?.bytesDownloaded ?? 0
  await eventually(() => done() > 6 * megabyte, 'a part of the run is done')
  first.process.kill('SIGKILL')
  await first.ended()
  const second = await start().connect()
  await second.ask('prefill', { all: 'true' })
  const last = await second.ended()
  expect(last).toMatchObject({ state: 'completed', updatedApps: 1 })
  expect(last.totalBytesTransferred).toBeLessThan(
    objects.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  expect(new Set(await states(objects))).toEqual(new Set(['HIT']))
  expect(proxy.originRequests() - before).toBe(slicesOf(objects))
  // Only what was under way at the kill was requested twice: eight requests at the same time.
  const requested = readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('/killed/') && line.includes('Larder-Practice'))
  expect(requested.length).toBeGreaterThanOrEqual(objectCount)
  expect(requested.length).toBeLessThanOrEqual(objectCount + 8)
}, 120_000)
