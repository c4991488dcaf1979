import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { chunkPath, practiceChunks, type StandInChunk } from '../support/stand-ins/beta-manifest.ts'
import { betaContent, logIn } from '../support/beta-daemon.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const epic = betaContent()
const [game] = epic.assets
const folder = tempFolder('prefill-beta')
let proxy: Proxy

beforeAll(async () => {
  const origin = {
    port: epic.port,
    requestCount: () => epic.content.length,
    stop: () => epic.stop(),
  }
  proxy = await startProxy(join(folder, 'proxy'), '32k', undefined, origin)
})
afterAll(() => proxy.stop())

/** Paths of the chunks that reached the content server; each chunk is a few slices. */
const fetched = () =>
  new Set(epic.content.map(({ path }) => path).filter((path) => path.endsWith('.chunk')))
const pathOf = (chunk: StandInChunk) => `${game?.basePath}/${chunkPath(chunk)}`
const bytesOf = (chunks: StandInChunk[]) => chunks.reduce((sum, { bytes }) => sum + bytes, 0)
const slicesOf = (chunks: StandInChunk[]) =>
  chunks.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 32_768), 0)

/** The cache's answers to the client's requests for all chunks. */
async function states(chunks: StandInChunk[]) {
  const headers = { host: `127.0.0.1:${epic.port}` }
  const found = new Set<string | null>()
  for (const chunk of chunks) {
    const url = `http://127.0.0.1:${proxy.port}${pathOf(chunk)}`
    const response = await fetch(url, { headers })
    expect((await response.arrayBuffer()).byteLength).toBe(chunk.bytes)
    found.add(response.headers.get('x-upstream-cache-status'))
  }
  return found
}

test('every chunk is cached and nothing else; an update fetches its changes', async () => {
  const environment = { ...epic.environment, LANCACHE_IP: `127.0.0.1:${proxy.port}` }
  const start = () => daemonProcess({ platform: 'beta', folder, environment })
  const first = start()
  const client = await first.connect()
  await logIn(client, epic.code)
  await client.ask('set-selected-apps', { appIds: '["Lantern"]' })
  await client.ask('prefill')
  const chunks = practiceChunks(40, 1)
  const bytes = bytesOf(chunks)
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, missBytes: bytes })
  expect(fetched()).toEqual(new Set(chunks.map(pathOf)))
  // The manifest, which is fetched past the cache, and each slice once.
  expect(epic.content).toHaveLength(1 + slicesOf(chunks))
  expect(await states(chunks)).toEqual(new Set(['HIT']))
  await client.ask('prefill')
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
  expect(epic.content).toHaveLength(1 + slicesOf(chunks))

  // A killed daemon signs in again by itself; the update has eight new chunks.
  first.process.kill('SIGKILL')
  await first.ended()
  const changed = [...chunks.slice(8), ...practiceChunks(8, 9)]
  Object.assign(game ?? {}, { buildVersion: '2', build: { chunks: changed } })
  epic.content.length = 0
  const second = await start().connect()
  const isSignedIn = async () =>
    ((await second.ask('status')).data as { isLoggedIn: boolean }).isLoggedIn
  await eventually(isSignedIn, 'signed in again')
  await second.ask('prefill')
  const missBytes = bytesOf(practiceChunks(8, 9))
  expect(await second.ended(1)).toMatchObject({ updatedApps: 1, missBytes })
  expect(fetched()).toEqual(new Set(practiceChunks(8, 9).map(pathOf)))
  expect(await states(changed)).toEqual(new Set(['HIT']))
}, 120_000)
