import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { atEnd } from '../support/cleanup.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { gameFiles, gammaStandIn } from '../support/stand-ins/gamma.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const host = 'level3.blizzard.com'
const sliceBytes = 16 * 1024
const standIn = gammaStandIn('d3')
atEnd(standIn.stop)
const folder = tempFolder('prefill-gamma')
let proxy: Proxy

beforeAll(async () => {
  proxy = await startProxy(join(folder, 'proxy'), '16k', undefined, standIn)
})
afterAll(() => proxy.stop())

const fetchedSlices = () => new Set(standIn.requests.map(({ path, range }) => `${path} ${range}`))

/** Requests everything that the client requests, and returns the cache's states. */
async function statesOfAll(): Promise<Set<string | null>> {
  const states = new Set<string | null>()
  for (const [path, ranges] of standIn.expected()) {
    for (const range of ranges ?? [null]) {
      const wanted: Record<string, string> =
        range === null ? {} : { range: `bytes=${range.first}-${range.last}` }
      const url = `http://127.0.0.1:${proxy.port}${path}`
      const response = await fetch(url, { headers: { host, ...wanted } })
      await response.arrayBuffer()
      states.add(response.headers.get('x-upstream-cache-status'))
    }
  }
  return states
}

test('every file of the client is cached and nothing else; an update fetches its changes', async () => {
  const environment = {
    Gamma__VersionsBaseUrl: standIn.patchBaseUrl,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
  }
  const client = await daemonProcess({ platform: 'gamma', folder, environment }).connect()
  const files = gameFiles(300)
  standIn.publish('1.0', files)
  await client.ask('set-selected-apps', { appIds: '["d3"]' })
  await client.ask('prefill')
  expect(await client.ended(1)).toMatchObject({ state: 'completed', updatedApps: 1 })
  const first = standIn.expectedSlices(sliceBytes)
  expect(first.size).toBeGreaterThan(200)
  expect(fetchedSlices()).toEqual(first)
  // Each slice once: nothing was requested from the origin twice.
  expect(standIn.requests).toHaveLength(first.size)
  expect(await statesOfAll()).toEqual(new Set(['HIT']))
  expect(standIn.requests).toHaveLength(first.size)

  await client.ask('prefill')
  expect(await client.ended(2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
  await client.ask('prefill', { force: 'true' })
  expect(await client.ended(3)).toMatchObject({ updatedApps: 1, missBytes: 0 })
  expect(standIn.requests).toHaveLength(first.size)

  const changed = files.map((file, index) =>
    index % 50 === 0 ? { ...file, seed: file.seed + 50_000 } : file,
  )
  standIn.publish('1.1', changed)
  standIn.requests.length = 0
  await client.ask('prefill')
  expect(await client.ended(4)).toMatchObject({ state: 'completed', updatedApps: 1 })
  const second = standIn.expectedSlices(sliceBytes)
  expect(fetchedSlices()).toEqual(second.difference(first))
  expect(second.difference(first).size).toBeLessThan(first.size / 4)
  expect(await statesOfAll()).toEqual(new Set(['HIT']))
}, 120_000)
