import { expect, spyOn, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { allEnded } from '../../../test/support/job-end.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { formatDuration, formatSize } from './format.ts'

const write = (at: number) =>
  writeCacheFile(join(app.root, 'cache'), {
    key: sliceKey('steam', `/depot/731/chunk/${at}`, 0),
    body: new Uint8Array(1000),
    storedAt: 1_790_000_000,
  })

async function get(path: string) {
  const response = await owner.get(path)
  // Unchecked: the assertions look at the members.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const app = await testApp({ isIndexing: true, environment: { CacheIndex__RefreshMinutes: '0' } })
const owner = await signInOwner(app)

test('sizes and durations are human-readable', () => {
  expect([0, 1023, 1536, 1024 ** 3 * 12.345].map(formatSize)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KB',
    '12.35 GB',
  ])
  expect([0.2, 1, 59.6, 185, 7800].map(formatDuration)).toEqual([
    '< 1 second',
    '1 second',
    '1m 0s',
    '3m 5s',
    '2h 10m',
  ])
})

test('there is no size before the first scan; scans are stored; live scans work', async () => {
  expect(await get('/api/cache/size')).toEqual({ status: 200, body: { available: false } })
  for (let at = 0; at < 20; at++) write(at)

  const publish = spyOn(app.hub, 'publish')
  const queued = await get('/api/cache/size?force=true')
  expect(queued).toMatchObject({ status: 202, body: { queued: false, status: 'started' } })
  const running = await get('/api/cache/size/scan/status')
  expect(running.body).toMatchObject({ isProcessing: true, status: 'running' })
  expect(running.body['operationId']).toBe(queued.body['operationId'])
  expect(await get('/api/cache/size')).toEqual({
    status: 202,
    body: { ...queued.body, scanning: true, alreadyRunning: true, status: 'alreadyRunning' },
  })
  await allEnded(app.operations)
  const { operationId } = queued.body
  const end = { success: true, operationId, error: null, cancelled: false }
  expect(publish).toHaveBeenCalledWith('CacheScanComplete', end)
  const complete = publish.mock.calls.find(([event]) => event === 'CacheSizeScanComplete')
  expect(complete?.[1]).toMatchObject({
    operationId,
    totalFiles: 20,
    success: true,
    cancelled: false,
  })
  expect(complete?.[1]).toHaveProperty('formattedSize')
  publish.mockRestore()
  expect(app.operations.find(String(queued.body['operationId']))).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.cacheSizeScan.complete',
    context: { totalFiles: 20 },
  })
  expect((await get('/api/cache/size/scan/status')).body).toMatchObject({
    isProcessing: false,
    status: 'completed',
    operationId: null,
  })

  const kept = await get('/api/cache/size')
  expect(kept).toMatchObject({
    status: 200,
    body: { available: true, totalFiles: 20, isCached: true, hexDirectories: expect.any(Number) },
  })
  const times = kept.body['estimatedDeletionTimes'] as Record<string, unknown>
  expect(times['preserveSeconds']).toBeGreaterThan(0)
  expect(times['fullSeconds']).toBeGreaterThan(times['preserveSeconds'] as number)
  expect(times['preserveFormatted']).toBe('< 1 second')

  expect((await get('/api/cache/size?datasource=default')).body).toMatchObject({
    estimatedDeletionTimes: times,
  })
  write(20)
  expect((await get('/api/cache/size?datasource=DEFAULT')).body).toMatchObject({
    totalFiles: 21,
    isCached: false,
  })
  expect((await get('/api/cache/size')).body).toMatchObject({ totalFiles: 20, isCached: true })
})

test('refuses an unconfigured datasource and malformed values', async () => {
  expect(await get('/api/cache/size?datasource=other')).toEqual({
    status: 404,
    body: { error: 'Datasource not found' },
  })
  expect((await get('/api/cache/size?force=perhaps')).status).toBe(400)
})

test('an emptied cache is accepted only on confirmation', async () => {
  rmSync(join(app.root, 'cache'), { recursive: true })
  expect((await get('/api/cache/size?datasource=default')).status).toBe(503)
  const gone = (await get('/api/ext/cache/index')).body['items'] as Record<string, unknown>[]
  expect(gone).toMatchObject([{ datasource: 'default', state: 'failed', files: 21 }])
  mkdirSync(join(app.root, 'cache'))

  const accept = (datasource: string) => owner.post('/api/ext/cache/index/accept', { datasource })
  expect((await accept('other')).status).toBe(404)
  // A running scan of another kind must not swallow the confirmation.
  const scan = (await get('/api/cache/size?force=true')).body
  const accepted = (await (await accept('default')).json()) as Record<string, unknown>
  expect(accepted).toMatchObject({ queued: true, alreadyRunning: false, status: 'waiting' })
  expect(accepted['operationId']).not.toBe(scan['operationId'])
  await allEnded(app.operations)
  const now = (await get('/api/ext/cache/index')).body['items']
  expect(now).toMatchObject([{ datasource: 'default', state: 'complete', files: 0 }])
})
