import { expect, spyOn, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { putTitles } from '../../../test/support/put-downloads.ts'
import {
  app,
  depot,
  download,
  downloads,
  ended,
  history,
  owner,
  put,
  setAway,
  started,
  withRemovals,
} from '../../../test/support/removal-fixture.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { titleKeyOf } from '../../engines/titles/titles.ts'

await withRemovals()

test("removes one game's files and downloads; the others stay", async () => {
  const mine = [depot(9_000_011, 1), depot(9_000_012, 1)]
  const kept = depot(9_000_021, 1)
  await download(1, 'steam', 'alpha:9000011')
  await download(2, 'steam', 'alpha:9000021')
  const first = await started(await owner.delete('/api/games/9'))
  expect(first).toMatchObject({ appId: '9', status: 'running' })
  expect(await ended(first.operationId)).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.gameRemove.complete',
    context: { filesDeleted: 2, gameName: 'Nine', dbRecords: 1, isHistoryPending: false },
  })
  expect([...mine, kept].map((path) => existsSync(path))).toEqual([false, false, true])
  expect(await downloads()).toEqual([{ id: 2, isEvicted: false }])
  const preview = await owner.post('/api/ext/cache/removals/preview', { kind: 'alpha', appId: 20 })
  const bytes = Bun.file(kept).size
  expect((await preview.json()) as object).toEqual({
    gameName: 'Twenty',
    files: 1,
    bytes,
    depotIds: [9_000_021],
    sharedDepots: [],
    datasources: [{ datasource: 'default', files: 1, bytes }],
  })
})

test('removes a service, ignoring the case of its name', async () => {
  const mine = put('wsus', '/d/msdownload/update/one.cab')
  const kept = depot(9_000_021, 2)
  await download(3, 'wsus', '')
  const body = await started(await owner.delete('/api/cache/services/WSUS'))
  expect(body).toMatchObject({ serviceName: 'wsus' })
  expect(await ended(body.operationId)).toMatchObject({ status: 'completed' })
  expect([mine, kept].map((path) => existsSync(path))).toEqual([false, true])
  expect(await downloads()).toEqual([])
})

test('clearing empties the cache and marks its downloads', async () => {
  const path = depot(9_000_021, 3)
  await download(4, 'steam', 'alpha:9000021')
  expect((await owner.delete('/api/cache/datasources/nowhere')).status).toBe(404)
  const body = await started(await owner.delete('/api/cache/datasources/DEFAULT'))
  expect(await ended(body.operationId)).toMatchObject({ status: 'completed' })
  expect(existsSync(path)).toBe(false)
  expect(await downloads()).toEqual([{ id: 4, isEvicted: true }])
  const list = (await (await owner.get('/api/cache/operations')).json()) as {
    operations: { operationId: string; status: string; filesDeleted: number }[]
  }
  expect(list.operations).toMatchObject([{ operationId: body.operationId, status: 'completed' }])
  expect(list.operations[0]?.filesDeleted).toBeGreaterThan(0)
  const { context } = (await ended(body.operationId)) as { context: Record<string, unknown> }
  expect(Number.isInteger(context['freeSpaceGained'])).toBe(true)
  expect(context['entriesLeft']).toBe(0)
})

test('scans become history before the first file is removed', async () => {
  depot(9_000_021, 40)
  const demote = spyOn(app.cache.corruption, 'demoteScans')
  const remove = spyOn(app.cache, 'remove')
  const clear = spyOn(app.cache, 'clear')
  await ended((await started(await owner.delete('/api/games/20'))).operationId)
  expect(demote.mock.invocationCallOrder[0]).toBeLessThan(
    remove.mock.invocationCallOrder[0] ?? Number.NaN,
  )
  demote.mockClear()
  await ended((await started(await owner.delete('/api/cache'))).operationId)
  expect(demote.mock.invocationCallOrder[0]).toBeLessThan(
    clear.mock.invocationCallOrder[0] ?? Number.NaN,
  )
  for (const spy of [demote, remove, clear]) spy.mockRestore()
})

test('removes an Epic Games title by name, and one by service and name', async () => {
  const beta = '/Builds/Org/o-1/abc/default/ChunksV4/01/x.chunk'
  const betaKey = titleKeyOf('epicgames', beta, 'download.epicgames.com')
  const gamma = '/tpr/pro/data/aa/bb/cc'
  const twin = '/Builds/Org/o-2/abc/default/ChunksV4/01/x.chunk'
  const twinKey = titleKeyOf('epicgames', twin, 'download.epicgames.com')
  const mine = [put('epicgames', beta), put('epicgames', twin), put('blizzard', gamma)]
  const kept = put('blizzard', '/tpr/wow/data/aa/bb/cc')
  const bee = { service: 'epicgames', gameName: 'Bee' }
  await putTitles(
    history,
    { ...bee, titleKey: betaKey, betaAppId: 'b1' },
    { ...bee, titleKey: twinKey, betaAppId: 'b2' },
  )
  await download(6, 'epicgames', betaKey)
  await download(7, 'blizzard', 'gamma:pro')
  await download(8, 'blizzard', 'gamma:wow')
  const first = await started(await owner.delete('/api/games/beta/Bee'))
  expect(first).toMatchObject({ appId: '', gameName: 'Bee' })
  expect(await ended(first.operationId)).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.betaRemove.complete',
    context: { filesDeleted: 2, betaAppId: 'b1', dbRecords: 1 },
  })
  const preview = await owner.post('/api/ext/cache/removals/preview', {
    kind: 'named',
    service: 'Blizzard',
    gameName: 'Overwatch',
  })
  expect((await preview.json()) as object).toMatchObject({ files: 1, gameName: 'Overwatch' })
  // While the history is away a name that the key contains is enough; any other is not.
  setAway(true)
  const other = await owner.post('/api/ext/cache/removals/preview', {
    kind: 'named',
    service: 'blizzard',
    gameName: 'Given by hand',
  })
  expect(other.status).toBe(503)
  expect((await owner.delete('/api/games/beta/Bee')).status).toBe(503)
  setAway(false)
  const second = await started(await owner.delete('/api/games/named/BLIZZARD/Overwatch'))
  expect(await ended(second.operationId)).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.namedRemove.complete',
    context: { filesDeleted: 1, service: 'blizzard', dbRecords: 1 },
  })
  expect([...mine, kept].map((path) => existsSync(path))).toEqual([false, false, false, true])
  expect(await downloads()).toEqual([{ id: 8, isEvicted: false }])
})

test('a game of Xbox is removed whatever service its downloads have', async () => {
  const title = 'epsilon:/filestreamingservice/files/1'
  await putTitles(history, { titleKey: title, service: 'wsus', gameName: 'Forza' })
  await download(9, 'wsus', title)
  const { operationId } = await started(await owner.delete('/api/games/named/xbox/Forza'))
  expect(await ended(operationId)).toMatchObject({ context: { filesDeleted: 0, dbRecords: 1 } })
})

test('a queued removal is listed under the name of its game', async () => {
  const free = Promise.withResolvers<OperationResult>()
  const scan = { type: 'cacheSizeScan', scope: 'bulk', name: 'Scan' } as const
  app.operations.submit({ ...scan, run: () => free.promise })
  const names = ['Game: The Second', 'A/B 100 %', '../x', 'two: colons: here']
  for (const name of names) await owner.delete(`/api/games/beta/${encodeURIComponent(name)}`)
  await owner.delete(`/api/games/named/riot/${encodeURIComponent('a: b')}`)
  await owner.delete('/api/games/987123')
  await owner.delete('/api/cache/evicted/named/riot/a%3A%20b')
  const { gameRemovals, evictionRemovals } = (await (
    await owner.get('/api/cache/removals/active')
  ).json()) as Record<string, { gameName: string; status: string; operationId: string }[]>
  const listed = (gameRemovals ?? []).map(({ gameName }) => gameName)
  expect(listed).toEqual([...names, 'a: b', 'Game 987123'])
  expect(evictionRemovals).toMatchObject([{ scope: 'named', key: null, gameName: 'a: b' }])
  for (const { operationId } of [...(gameRemovals ?? []), ...(evictionRemovals ?? [])]) {
    app.operations.cancel(operationId)
  }
  free.resolve({ kind: 'completed' })
})

test('an Epic Games title is the same one by id and by name', async () => {
  const free = Promise.withResolvers<OperationResult>()
  const scan = { type: 'cacheSizeScan', scope: 'bulk', name: 'Scan' } as const
  app.operations.submit({ ...scan, run: () => free.promise })
  const path = '/Builds/Org/o-1/abc/default/ChunksV4/01/x.chunk'
  put('epicgames', path)
  const key = titleKeyOf('epicgames', path, 'download.epicgames.com')
  const bee = { service: 'epicgames', gameName: 'Bee', betaAppId: 'b1' }
  await putTitles(history, { titleKey: key, ...bee })
  await app.cache.walk(
    { datasource: null, depth: 'directories' },
    { signal: new AbortController().signal, progress() {} },
  )
  const byName = await started(await owner.delete('/api/games/beta/Bee'))
  const byId = await started(await owner.delete('/api/games/beta/b1'))
  expect(byId).toMatchObject({ operationId: byName.operationId, alreadyRunning: true })
  free.resolve({ kind: 'completed' })
  await ended(byName.operationId)
})

test('a depot that other games use stays, and is named in the preview', async () => {
  const own = depot(9_000_011, 5)
  const shared = depot(228_984, 5)
  // A catalogue that names one owner picks any of the games.
  const nine = { gameName: 'Nine', gameAppId: 9, depotId: 228984 }
  await putTitles(history, { titleKey: 'alpha:228984', ...nine })
  await download(9, 'steam', 'alpha:9000011')
  await download(10, 'steam', 'alpha:228984')
  await download(11, 'steam', 'alpha:9000021')
  const run = { signal: new AbortController().signal, progress() {} }
  await app.cache.walk({ datasource: null, depth: 'directories' }, run)
  const ask = async (appId: number) => {
    const answer = await owner.post('/api/ext/cache/removals/preview', { kind: 'alpha', appId })
    return (await answer.json()) as object
  }
  const sharedDepots = [
    { depotId: 228_984, usedBy: [{ appId: 20, gameName: 'Twenty' }], usedByCount: 1 },
  ]
  expect(await ask(9)).toMatchObject({ depotIds: [9_000_011], files: 1, sharedDepots })
  const body = await started(await owner.delete('/api/games/9'))
  expect(await ended(body.operationId)).toMatchObject({
    status: 'completed',
    context: { filesDeleted: 1, sharedDepots: 1, dbRecords: 1 },
  })
  expect([own, shared].map((path) => existsSync(path))).toEqual([false, true])
  expect((await downloads()).map(({ id }) => id)).toEqual([10, 11])
  // It belongs to its own app by default, and is removed once no other app needs it.
  await history.read((_db, sql) => sql`DELETE FROM titles WHERE title_key = 'alpha:228984'`)
  expect(await ask(228_980)).toMatchObject({ depotIds: [], files: 0, sharedDepots })
  await history.read(async (_db, sql) => {
    await sql`DELETE FROM downloads`
    await sql`DELETE FROM titles`
  })
  expect(await ask(228_980)).toMatchObject({ depotIds: [228_984], files: 1, sharedDepots: [] })
})

const endedJustNow = (id: number) =>
  history.read(
    (_db, sql) => sql`
      UPDATE downloads SET started_at = now() - interval '1 minute',
        ended_at = now() - interval '10 seconds' WHERE id = ${id}`,
  )

test('downloads of the last minutes may grow: they stay, and are marked as evicted', async () => {
  depot(9_000_011, 7)
  await download(13, 'steam', 'alpha:9000011')
  await download(14, 'steam', 'alpha:9000011')
  await download(15, 'steam', 'alpha:9000021')
  for (const id of [14, 15]) await endedJustNow(id)
  const game = await started(await owner.delete('/api/games/9'))
  expect(await ended(game.operationId)).toMatchObject({ context: { dbRecords: 1 } })
  expect(await downloads()).toEqual([
    { id: 14, isEvicted: true },
    { id: 15, isEvicted: false },
  ])
  await ended((await started(await owner.delete('/api/cache'))).operationId)
  expect(await downloads()).toEqual([
    { id: 14, isEvicted: true },
    { id: 15, isEvicted: true },
  ])
})
