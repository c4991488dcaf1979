import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { cacheInfo } from './service.ts'

const time = new ManualTime()

const app = await testApp({ clock: time, isIndexing: true })
const space = app.disk.space.bind(app.disk)
// Tests that run at the same time use the same disk.
app.disk.space = async (name) => ({ ...(await space(name)), usedBytes: 1024 ** 3 })
writeFileSync(join(app.root, 'logs', 'access.log'), '')
for (const [tag, slices] of [
  ['steam', 3],
  ['riot', 2],
] as const) {
  for (let slice = 0; slice < slices; slice++) {
    const key = sliceKey(tag, '/depot/1/chunk/a', slice)
    const file = { key, body: new Uint8Array(1000), storedAt: 1_800_000_000 }
    writeCacheFile(join(app.root, 'cache'), file)
  }
}

/** Past the lifetime of cached figures. */
const later = () => time.advance(6000)
const scan = (usedBytes: number, mountPoint: string) =>
  app.cache.saveSizeScan({ scanDurationMs: 1, usage: [{ mountPoint, usedBytes }] })

test("the last scan's figures include their age and whether disk usage changed", async () => {
  expect(await cacheInfo(app)).toMatchObject({ hasCacheScan: false, cacheScanTimestampUtc: null })
  const run = { signal: new AbortController().signal, progress: () => {} }
  await app.cache.walk({ datasource: null, depth: 'directories' }, run)
  const { mountPoint, usedBytes } = await app.disk.space('default')
  await scan(usedBytes, mountPoint)
  await later()
  const info = await cacheInfo(app)
  expect(info).toMatchObject({ hasCacheScan: true, totalFiles: 5, scanStale: false })
  expect(info.cacheScanTotalBytes).toBeGreaterThan(5000)
  expect(Object.keys(info.serviceSizes).sort()).toEqual(['riot', 'steam'])
  const sum = Object.values(info.serviceSizes).reduce((total, bytes) => total + bytes, 0)
  expect(sum).toBe(info.cacheScanTotalBytes)
})

test('usage changed by two percent, another disk or a lost one make it stale', async () => {
  const { mountPoint, usedBytes } = await app.disk.space('default')
  await scan(Math.round(usedBytes * 0.97), mountPoint)
  await later()
  expect((await cacheInfo(app)).scanStale).toBe(true)
  await scan(usedBytes, '/elsewhere')
  await later()
  expect((await cacheInfo(app)).scanStale).toBe(true)
  await scan(usedBytes, mountPoint)
  await later()
  expect((await cacheInfo(app)).scanStale).toBe(false)
  rmSync(join(app.root, 'cache'), { recursive: true })
  await later()
  // The first call may return cached figures while the disk is read.
  await cacheInfo(app)
  expect(await cacheInfo(app)).toMatchObject({ scanStale: true, driveState: 'missing' })
})
