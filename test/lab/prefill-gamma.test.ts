import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from '../support/cleanup.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { gameFiles, gammaStandIn } from '../support/stand-ins/gamma.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { filesOf } from './cache-files.ts'
import { startProxy } from './proxy.ts'

const host = 'level3.blizzard.com'
const sliceBytes = 16 * 1024

/** A product behind an nginx, and a daemon that prefills it. */
async function fixture() {
  const folder = tempFolder('prefill-gamma')
  const standIn = gammaStandIn('d3')
  const proxy = await startProxy(join(folder, 'proxy'), '16k', undefined, standIn)
  atEnd(() => proxy.stop())
  const environment = {
    Gamma__VersionsBaseUrl: standIn.patchBaseUrl,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
  }
  const client = await daemonProcess({ platform: 'gamma', folder, environment }).connect()
  await client.ask('set-selected-apps', { appIds: '["d3"]' })
  return {
    standIn,
    client,
    proxy,
    fetchedSlices: () => new Set(standIn.requests.map(({ path, range }) => `${path} ${range}`)),
    /** Requests everything that the client requests, and returns the cache's states. */
    statesOfAll: async () => {
      const states = new Set<string | null>()
      for (const [path, ranges] of standIn.expected()) {
        for (const range of ranges ?? [null]) {
          const wanted: Record<string, string> =
            range === null ? {} : { range: `bytes=${range.first}-${range.last}` }
          const url = `http://127.0.0.1:${proxy.port}${path}`
          const response = await fetch(url, { headers: { host, ...wanted } })
          const body = Buffer.from(await response.arrayBuffer())
          const end = range === null ? undefined : range.last + 1
          const stored = standIn.file(path)?.subarray(range?.first ?? 0, end)
          expect(stored?.equals(body)).toBe(true)
          states.add(response.headers.get('x-upstream-cache-status'))
        }
      }
      return states
    },
  }
}

test('every file of the client is cached and nothing else; an update fetches its changes', async () => {
  const { standIn, client, fetchedSlices, statesOfAll } = await fixture()
  const files = gameFiles(300)
  standIn.publish('1.0', files)
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

test('a manifest of several parts is cached as a whole; what is damaged in the cache is repaired', async () => {
  const { standIn, client, proxy, fetchedSlices, statesOfAll } = await fixture()
  standIn.publish('1.0', gameFiles(40), { otherFiles: 80_000 })
  const encoding = standIn.encodingPath()
  expect(standIn.file(encoding)?.length).toBeGreaterThan(2 * 1024 * 1024)
  await client.ask('prefill')
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1 })
  const slices = standIn.expectedSlices(sliceBytes)
  expect(fetchedSlices()).toEqual(slices)
  expect(standIn.requests).toHaveLength(slices.size)
  expect(await statesOfAll()).toEqual(new Set(['HIT']))

  // One bit in a slice in the middle of the manifest, and one of each config.
  const damaged = filesOf(proxy.cachePath).filter(
    ({ key }) => /\/configs?\//.test(key) || key.includes(`${encoding}bytes=1048576-`),
  )
  expect(damaged).toHaveLength(5)
  for (const { path } of damaged) {
    const bytes = readFileSync(path)
    const last = bytes.length - 2
    bytes[last] = (bytes[last] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
  await client.ask('prefill', { force: 'true' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 1, failedApps: 0 })
  expect(await statesOfAll()).toEqual(new Set(['HIT']))
}, 120_000)
