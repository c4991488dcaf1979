import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { atEnd } from '../support/cleanup.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import { deltaStandIn, practiceRelease } from '../support/stand-ins/delta.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startProxy, type Proxy } from './proxy.ts'

const standIn = deltaStandIn('valorant')
atEnd(standIn.stop)
const folder = tempFolder('prefill-delta')
let proxy: Proxy

beforeAll(async () => {
  proxy = await startProxy(join(folder, 'proxy'), '64k', undefined, standIn)
})
afterAll(() => proxy.stop())

test('every bundle is cached and nothing else; an update fetches its changes', async () => {
  standIn.publish('1.0', practiceRelease())
  const environment = {
    Delta__PatchlineBaseUrl: standIn.configBaseUrl,
    LANCACHE_IP: `127.0.0.1:${proxy.port}`,
  }
  const client = await daemonProcess({ platform: 'delta', folder, environment }).connect()
  await client.ask('prefill', { products: '["valorant"]' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, totalBytesTransferred: 630_000 })
  // Three bundles of four slices each.
  expect(standIn.requests).toHaveLength(12)
  const paths = new Set(standIn.requests.map(({ path }) => path))
  const headers = { host: 'valorant.dyn.riotcdn.net' }
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${proxy.port}${path}`, { headers })
    expect((await response.arrayBuffer()).byteLength).toBe(210_000)
    expect(response.headers.get('x-upstream-cache-status')).toBe('HIT')
  }
  expect(standIn.requests).toHaveLength(12)

  const release = practiceRelease()
  release.bundles.push({ id: 9n, chunks: [{ id: 91n, bytes: 50_000 }] })
  release.files.push({ chunks: [91n] })
  standIn.publish('1.1', release)
  standIn.requests.length = 0
  await client.ask('prefill', { products: '["valorant"]' })
  expect(await client.ended(2)).toMatchObject({
    updatedApps: 1,
    hitBytes: 630_000,
    missBytes: 50_000,
  })
  expect(standIn.requests.map(({ path }) => path)).toEqual([
    '/channels/public/bundles/0000000000000009.bundle',
  ])
}, 120_000)
