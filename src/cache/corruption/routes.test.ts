import { expect, spyOn, test } from 'bun:test'
import { rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { allEnded } from '../../../test/support/job-end.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import type { OperationResult, OperationType } from '../../core/operations/contract.ts'

const broken: string[] = []
const log = () => join(app.root, 'logs', 'access.log')
const structural = '/api/cache/corruption/detect?detectionMethod=structural'
const missed = '/api/cache/corruption/detect'

/** Writes a cache file untouched for an hour, with a wrong length if requested. */
function write(tag: string, name: string, isBroken = false): void {
  const path = writeCacheFile(join(app.root, 'cache'), {
    key: sliceKey(tag, `/${name}`, 0),
    body: new Uint8Array(1000),
    storedAt: 1_790_000_000,
  })
  if (isBroken) {
    truncateSync(path, 600)
    broken.push(path)
  }
  utimesSync(path, Date.now() / 1000 - 3600, Date.now() / 1000 - 3600)
}

async function call(method: string, path: string) {
  const response = await owner.send(method, path)
  const text = await response.text()
  // Unchecked: the assertions look at the members.
  const body = (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>
  return { status: response.status, body }
}

/** An operation that keeps scans and removals queued until it is released. */
function block(type: OperationType = 'cacheSizeScan') {
  const { promise, resolve } = Promise.withResolvers<OperationResult>()
  app.operations.submit({ type, scope: 'bulk', name: 'Something else', run: () => promise })
  return () => resolve({ kind: 'completed' })
}

const app = await testApp({ isIndexing: true, environment: { CacheIndex__RefreshMinutes: '0' } })
const owner = await signInOwner(app)

test('without logs the key scheme is unknown: refused with the reason', async () => {
  const { status, body } = await call('POST', structural)
  expect(status).toBe(400)
  expect(String(body.error)).toContain('default')
})

test('before the first scan', async () => {
  writeFileSync(log(), logLine())
  expect(await call('GET', '/api/cache/corruption/detect/status')).toMatchObject({
    body: { isRunning: false, operationId: null, status: null, context: {}, scanSummary: null },
  })
  expect(await call('GET', '/api/cache/corruption/cached')).toMatchObject({
    body: { hasCachedResults: false, totalCorruptedChunks: 0, scanId: null },
  })
  expect((await call('GET', '/api/cache/corruption/history')).body).toEqual({ scans: [] })
})

test('an identical scan joins the running one, a different one has to wait', async () => {
  const free = block()
  const first = await call('POST', structural)
  expect(first).toMatchObject({
    status: 202,
    body: { queued: true, alreadyRunning: false, status: 'waiting', scanMode: 'full' },
  })
  const { operationId } = first.body
  const again = await call('POST', structural)
  expect(again.body).toMatchObject({ operationId, queued: true, alreadyRunning: true })
  expect(again.body['message']).toBe('This scan is already queued')
  for (const other of [missed, `${structural}&scanMode=incremental`]) {
    expect(await call('POST', other)).toMatchObject({
      status: 409,
      body: {
        error: 'Another corruption scan is already queued',
        code: 'OPERATION_CONFLICT',
        activeOperationId: operationId,
        activeOperationType: 'CorruptionDetection',
      },
    })
  }
  expect((await call('GET', '/api/cache/corruption/detect/status')).body).toMatchObject({
    isRunning: false,
    operationId,
    status: 'waiting',
    detectionMethod: 'structural',
  })
  app.operations.cancel(String(operationId))
  free()
  await allEnded(app.operations)
})

test('a scan reports its progress and result', async () => {
  for (let at = 0; at < 20; at++) write('steam', `whole/${at}`)
  for (let at = 0; at < 3; at++) write('steam', `broken/${at}`, true)
  write('riot', 'broken', true)
  const publish = spyOn(app.hub, 'publish')
  const { operationId } = (await call('POST', `${structural}&scanMode=incremental`)).body
  await allEnded(app.operations)
  const published = publish.mock.calls.find(([event]) => event === 'CorruptionDetectionComplete')
  publish.mockRestore()
  expect(published?.[1]).toMatchObject({
    operationId,
    success: true,
    detectionMethod: 'structural',
    scanMode: 'incremental',
    effectiveScanMode: 'baseline',
    totalServicesWithCorruption: 2,
    totalCorruptedChunks: 4,
    corruptionCounts: { riot: 1, steam: 3 },
    detectionCounts: { structural: 4 },
    coverage: { filesChecked: 24 },
    scanSummary: { invalidFiles: 4 },
  })
  const { body } = await call('GET', '/api/cache/corruption/detect/status')
  expect(body).toMatchObject({
    operationId,
    isRunning: false,
    status: 'completed',
    stageKey: 'signalr.corruptionDetect.completeStructuralBaseline',
    percentComplete: 100,
    scanMode: 'incremental',
    effectiveScanMode: 'baseline',
    baselineStatus: 'ready',
    resumed: false,
    scanSummary: { filesDiscovered: 24, filesInspected: 24, invalidFiles: 4, stateCommitted: true },
  })
  await call('POST', `${structural}&scanMode=incremental`)
  await allEnded(app.operations)
  expect((await call('GET', '/api/cache/corruption/detect/status')).body).toMatchObject({
    effectiveScanMode: 'incremental',
    scanSummary: { filesReused: 20, filesInspected: 4, filesRevalidated: 4, invalidFiles: 4 },
  })
  const cached = (await call('GET', '/api/cache/corruption/cached?detectionMethod=structural')).body
  expect(cached).toMatchObject({
    hasCachedResults: true,
    contractVersion: 4,
    scanMode: 'incremental',
    settings: { threshold: null, minStableAgeSeconds: 600, maxPrefixBytes: 65_535 },
    corruptionCounts: { riot: 1, steam: 3 },
    detectionCounts: { structural: 4 },
    coverage: { filesSeen: 24, filesChecked: 24, consistent: 20, ioErrors: 0 },
    totalServicesWithCorruption: 2,
    totalCorruptedChunks: 4,
  })
})

const currentId = async () =>
  String((await call('GET', '/api/cache/corruption/cached?detectionMethod=structural')).body.scanId)

test('removes the selected candidates, and only known ones can be selected', async () => {
  const scanId = await currentId()
  const path = `/api/cache/services/riot/corruption?scanId=${scanId}`
  expect((await call('DELETE', `${path}&candidateIds=default:nothing`)).status).toBe(400)
  expect((await call('DELETE', path.replace('riot', 'nobody'))).status).toBe(404)
  const free = block()
  expect(await call('DELETE', path)).toMatchObject({ status: 202, body: { service: 'riot' } })
  expect((await call('DELETE', `/api/cache/corruption/history/${scanId}`)).status).toBe(409)
  free()
  await allEnded(app.operations)
  const { body } = await call('GET', '/api/cache/corruption/cached?detectionMethod=structural')
  expect(body).toMatchObject({ scanId, corruptionCounts: { steam: 3 } })
})

test('a removal whose scan became history while queued removes nothing', async () => {
  const scanId = await currentId()
  const free = block()
  const { operationId } = (
    await call('DELETE', `/api/cache/services/steam/corruption?scanId=${scanId}`)
  ).body
  await app.cache.corruption.demoteScans({ methods: ['structural', 'repeated_miss'] })
  free()
  await allEnded(app.operations)
  expect(app.operations.find(String(operationId))).toMatchObject({
    status: 'failed',
    stageKey: 'signalr.corruptionRemove.stale',
  })
  expect(await call('DELETE', `/api/cache/corruption?scanId=${scanId}`)).toMatchObject({
    status: 409,
    body: { stageKey: 'errors.corruption.outdated' },
  })
})

test('every selection is removed, also while another of the same service is running', async () => {
  write('riot', 'broken', true)
  await call('POST', structural)
  await allEnded(app.operations)
  const scanId = await currentId()
  const of = (service: string) => `/api/cache/services/${service}/corruption?scanId=${scanId}`
  const answer = await owner.get(of('steam'))
  const ids = ((await answer.json()) as { candidateId: string }[]).map((one) => one.candidateId)
  expect(ids).toHaveLength(3)
  const free = block()
  const operations: unknown[] = []
  for (const id of ids) {
    const { body } = await call('DELETE', `${of('steam')}&candidateIds=${id}`)
    expect(body).toMatchObject({ queued: true, alreadyRunning: false })
    operations.push(body.operationId)
  }
  expect(new Set(operations).size).toBe(3)
  const again = await call('DELETE', `${of('steam')}&candidateIds=${ids[2]}`)
  expect(again.body).toMatchObject({ operationId: operations[2], alreadyRunning: true })
  const riot = await call('DELETE', of('riot'))
  // Its first part is already queued; the second must not be dropped because of that.
  const all = await call('DELETE', `/api/cache/corruption?scanId=${scanId}&services=riot,steam`)
  expect(all.body.operationId).toBe(riot.body.operationId)
  expect(app.operations.waiting()).toHaveLength(5)
  free()
  await allEnded(app.operations)
  for (const id of [...operations, riot.body.operationId]) {
    expect(app.operations.find(String(id))).toMatchObject({ status: 'completed' })
  }
  const { body } = await call('GET', '/api/cache/corruption/cached?detectionMethod=structural')
  expect(body).toMatchObject({ scanId, corruptionCounts: {}, totalCorruptedChunks: 0 })
})

test('other removals turn scans into history', async () => {
  const states = async () => {
    const { scans } = (await call('GET', '/api/cache/corruption/history')).body
    return (scans as { detectionMethod: string; isCurrent: boolean }[]).map(
      ({ detectionMethod, isCurrent }) => `${detectionMethod} ${isCurrent}`,
    )
  }
  for (const path of [missed, structural]) {
    await call('POST', path)
    await allEnded(app.operations)
  }
  const after = async (type: OperationType) => {
    block(type)()
    await allEnded(app.operations)
    return (await states()).filter((state) => state.endsWith('true'))
  }
  expect(await after('evictionScan')).toEqual(['structural true', 'repeated_miss true'])
  expect(await after('logRemoval')).toEqual(['structural true'])
  expect(await after('gameRemoval')).toEqual([])
  expect(await states()).toHaveLength(4)
  await call('POST', structural)
  await allEnded(app.operations)
  expect(await after('cacheClearing')).toEqual([])
})

test('a scan that could not read everything fails and keeps the previous findings', async () => {
  await call('POST', structural)
  await allEnded(app.operations)
  const scanId = await currentId()
  writeFileSync(join(app.root, 'logs', 'access.log.1.gz'), 'no archive')
  const { operationId } = (await call('POST', missed)).body
  await allEnded(app.operations)
  expect(app.operations.find(String(operationId))).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('access.log.1.gz cannot be read'),
  })
  rmSync(join(app.root, 'cache'), { recursive: true })
  await call('POST', structural)
  await allEnded(app.operations)
  expect((await call('GET', '/api/cache/corruption/detect/status')).body).toMatchObject({
    status: 'failed',
    stageKey: 'signalr.corruptionDetect.failed',
    baselineStatus: 'incomplete',
  })
  expect(await currentId()).toBe(scanId)
})
