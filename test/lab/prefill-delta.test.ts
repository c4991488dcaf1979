import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from '../support/cleanup.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import {
  deltaStandIn,
  gameRelease,
  practiceRelease,
  type DeltaRelease,
} from '../support/stand-ins/delta.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { filesOf } from './cache-files.ts'
import { startProxy } from './proxy.ts'

const bundleBytes = 210_000
const slicesOfBundle = 4
const pathOf = (id: string) => `/channels/public/bundles/${id.padStart(16, '0')}.bundle`
const pathsOf = (...ids: string[]) => new Set(ids.map(pathOf))

/** A product behind an nginx, and a daemon that prefills it. */
async function fixture(product: string, contentHost: string) {
  const folder = tempFolder(`prefill-${product}`)
  const standIn = deltaStandIn(product)
  const proxy = await startProxy(join(folder, 'proxy'), '64k', undefined, standIn)
  atEnd(() => proxy.stop())
  const environment = {
    Delta__PatchlineBaseUrl: standIn.configBaseUrl,
    Delta__SieveBaseUrl: standIn.sieveBaseUrl,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
  }
  const client = await daemonProcess({ platform: 'delta', folder, environment }).connect()
  return {
    standIn,
    cachePath: proxy.cachePath,
    prefill: async (run: number) => {
      standIn.requests.length = 0
      await client.ask('prefill', { products: JSON.stringify([product]) })
      return client.ended(run)
    },
    fetched: () => new Set(standIn.requests.map(({ path }) => path)),
    /** Cache states of the answers to a client that requests these paths. */
    statesOf: async (paths: Iterable<string>) => {
      const states = new Set<string | null>()
      for (const path of paths) {
        const url = `http://127.0.0.1:${proxy.port}${path}`
        const response = await fetch(url, { headers: { host: contentHost } })
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
        states.add(response.headers.get('x-upstream-cache-status'))
      }
      return states
    },
  }
}

/** The release with one more bundle, which is wanted. */
function grown(release: DeltaRelease, id: bigint): DeltaRelease {
  const chunk = id * 100n
  return {
    ...release,
    bundles: [...release.bundles, { id, chunks: [{ id: chunk, bytes: 50_000 }] }],
    files: [...release.files, { chunks: [chunk] }],
  }
}

test('every bundle is cached and nothing else; an update fetches its changes', async () => {
  const { standIn, prefill, fetched, statesOf } = await fixture(
    'valorant',
    'valorant.dyn.riotcdn.net',
  )
  standIn.publish('1.0', practiceRelease())
  const bytes = 3 * bundleBytes
  expect(await prefill(1)).toMatchObject({ updatedApps: 1, totalBytesTransferred: bytes })
  const paths = pathsOf('1', '2', 'ABCDEF0123456789')
  expect(fetched()).toEqual(paths)
  expect(standIn.requests).toHaveLength(3 * slicesOfBundle)
  expect(await statesOf(paths)).toEqual(new Set(['HIT']))
  expect(standIn.requests).toHaveLength(3 * slicesOfBundle)

  standIn.publish('1.1', grown(practiceRelease(), 9n))
  expect(await prefill(2)).toMatchObject({ updatedApps: 1, hitBytes: bytes, missBytes: 50_000 })
  expect(fetched()).toEqual(pathsOf('9'))
}, 120_000)

test('a slice that does not fit the others is replaced, and the rest of the game not waited for', async () => {
  const { standIn, prefill, fetched, statesOf, cachePath } = await fixture(
    'valorant',
    'valorant.dyn.riotcdn.net',
  )
  standIn.publish('1.0', practiceRelease())
  expect(await prefill(1)).toMatchObject({ updatedApps: 1 })
  // nginx closes the connection before its answer to the first bundle, and within that to the second.
  const damaged = [`${pathOf('1')}bytes=0-`, `${pathOf('2')}bytes=65536-`]
  for (const { path } of filesOf(cachePath).filter(({ key }) =>
    damaged.some((start) => key.includes(start)),
  )) {
    const stored = readFileSync(path, 'latin1')
    writeFileSync(path, stored.replace(/(content-range: bytes \d+-\d*)\d\//i, '$10/'), 'latin1')
  }
  standIn.publish('1.1', grown(practiceRelease(), 9n))
  expect(await prefill(2)).toMatchObject({ updatedApps: 1, failedApps: 0 })
  expect(fetched()).toEqual(pathsOf('1', '2', '9'))
  expect(await statesOf(fetched())).toEqual(new Set(['HIT']))
}, 120_000)

test('launcher and game of League of Legends are cached; an update of either fetches its changes', async () => {
  const { standIn, prefill, fetched, statesOf } = await fixture(
    'league_of_legends',
    'lol.dyn.riotcdn.net',
  )
  standIn.publish('launcher-1', practiceRelease())
  standIn.publishGame('game-1', gameRelease())
  const bytes = 5 * bundleBytes
  expect(await prefill(1)).toMatchObject({ updatedApps: 1, totalBytesTransferred: bytes })
  const paths = pathsOf('1', '2', 'ABCDEF0123456789', '21', '22')
  expect(fetched()).toEqual(paths)
  expect(standIn.requests).toHaveLength(5 * slicesOfBundle)
  expect(await statesOf(paths)).toEqual(new Set(['HIT']))
  expect(standIn.requests).toHaveLength(5 * slicesOfBundle)
  expect(await prefill(2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })
  expect(fetched()).toEqual(new Set())

  standIn.publishGame('game-2', grown(gameRelease(), 0x31n))
  expect(await prefill(3)).toMatchObject({ updatedApps: 1, missBytes: 50_000 })
  expect(fetched()).toEqual(pathsOf('31'))
  standIn.publish('launcher-2', grown(practiceRelease(), 0x32n))
  expect(await prefill(4)).toMatchObject({ updatedApps: 1, missBytes: 50_000 })
  expect(fetched()).toEqual(pathsOf('32'))
  expect(await statesOf([...paths, ...pathsOf('31', '32')])).toEqual(new Set(['HIT']))
}, 120_000)
