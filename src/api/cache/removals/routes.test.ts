import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryUnavailable, type History } from '../../../../db/history/history.ts'
import { testApp, type TestApp } from '../../../../test/support/app.ts'
import { freshHistory } from '../../../../test/support/postgres.ts'
import { signInOwner, type Browser } from '../../../../test/support/sign-in.ts'
import { makeReadOnly } from '../../../../test/support/read-only.ts'
import { sliceKey, writePiece } from '../../../demo/cache-generator.ts'
import type { OperationResult } from '../../../operations/contract.ts'
import { titleKeyOf } from '../../../platforms/titles.ts'
import { dropNote, keepNote, notesMax, readNotes, type PendingRemoval } from './notes.ts'

let history: Awaited<ReturnType<typeof freshHistory>>
let isAway = false
const listeners: Parameters<History['onStatus']>[0][] = []
let app: TestApp
let owner: Browser

beforeAll(async () => {
  history = await freshHistory()
  const outer: History = {
    ...history,
    start: () => history.start(),
    stop: () => history.stop(),
    status: () => history.status(),
    credentialsChanged: () => history.credentialsChanged(),
    connection: () => history.connection(),
    onStatus: (listener) => void listeners.push(listener),
    read: (query) =>
      isAway ? Promise.reject(new HistoryUnavailable('away')) : history.read(query),
  }
  app = await testApp({ history: outer, isIndexing: true })
  await Bun.write(join(app.root, 'logs', 'access.log'), '')
  owner = await signInOwner(app)
})
afterAll(async () => {
  await app.stop()
  await history.stop()
})

const put = (tag: string, path: string) =>
  writePiece(join(app.root, 'cache'), {
    key: sliceKey(tag, path, 0),
    body: Buffer.alloc(500, 1),
    storedAt: 1_790_000_000,
  })
const depot = (id: number, at: number) => put('steam', `/depot/${id}/chunk/${at}`)

const download = (id: number, service: string, titleKey: string) =>
  history.read(
    (_db, sql) => sql`
      INSERT INTO downloads (id, datasource, service, tag, client, title_key, is_prefill, started_at,
        ended_at, hit_bytes, miss_bytes, requests, last_url, is_evicted, revision)
      VALUES (${id}, 'default', ${service}, ${service}, '10.0.0.1', ${titleKey}, false,
        now() - interval '2 hours', now() - interval '1 hour', 10, 10, 1, '/x', false, 1)`,
  )
const downloads = () =>
  history.read(async (_db, sql) => [
    ...(await sql<{ id: number; isEvicted: boolean }[]>`
      SELECT id::float8 AS id, is_evicted AS "isEvicted" FROM downloads ORDER BY id`),
  ])

beforeEach(async () => {
  isAway = false
  await history.read(async (_db, sql) => {
    await sql`DELETE FROM downloads`
    await sql`DELETE FROM titles`
    await sql`
      INSERT INTO titles (title_key, platform, service, game_name, game_app_id, depot_id, updated_at)
      VALUES ('alpha:9000011', 'alpha', 'steam', 'Nine', 9, 9000011, now()),
        ('alpha:9000012', 'alpha', 'steam', 'Nine', 9, 9000012, now()),
        ('alpha:9000021', 'alpha', 'steam', 'Twenty', 20, 9000021, now())`
  })
})

async function ended(operationId: string): Promise<object> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => {
    if ((app.operations.get(operationId)?.finishedAt ?? null) !== null) resolve()
  }
  app.operations.onChange(check)
  check()
  await promise
  const view = app.operations.get(operationId)
  if (view === null) throw new Error('the operation is unknown')
  return { ...view }
}

const started = async (response: Response) => {
  const body = (await response.json()) as Record<string, unknown>
  expect({ status: response.status, body }).toMatchObject({ status: 202 })
  return body as { operationId: string; gameName: string; appId: string; status: string }
}

test('one game goes: its files, its downloads; the others stay', async () => {
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

test('a service goes, whatever the case of its name', async () => {
  const mine = put('wsus', '/d/msdownload/update/one.cab')
  const kept = depot(9_000_021, 2)
  await download(3, 'wsus', '')
  const body = await started(await owner.delete('/api/cache/services/WSUS'))
  expect(body).toMatchObject({ serviceName: 'wsus' })
  expect(await ended(body.operationId)).toMatchObject({ status: 'completed' })
  expect([mine, kept].map((path) => existsSync(path))).toEqual([false, true])
  expect(await downloads()).toEqual([])
})

test('while the history is away files go, and its share is done when it is back', async () => {
  const path = put('wsus', '/d/msdownload/update/two.cab')
  await download(5, 'wsus', '')
  isAway = true
  const body = await started(await owner.delete('/api/cache/services/wsus'))
  expect(await ended(body.operationId)).toMatchObject({
    status: 'completed',
    context: { filesDeleted: 1, isHistoryPending: true },
  })
  isAway = false
  expect(existsSync(path)).toBe(false)
  expect(await downloads()).toEqual([{ id: 5, isEvicted: false }])
  expect(readNotes(app.state)).toMatchObject([{ id: body.operationId }])
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  // Notes are worked on in turn: when the next removal has ended, the first has been settled.
  const next = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(next.operationId)
  expect(await downloads()).toEqual([])
  expect(readNotes(app.state)).toEqual([])
})

test('what needs the history fails with that reason while it is away', async () => {
  isAway = true
  const paths = ['/api/cache/evicted?purgeLogs=false', '/api/cache/evicted/alpha?key=5']
  for (const path of paths) {
    const { operationId } = await started(await owner.delete(path))
    expect(await ended(operationId)).toMatchObject({
      status: 'failed',
      stageKey: 'signalr.evictionRemove.failed',
      error: expect.not.stringMatching(/unexpectedly/) as string,
    })
  }
  isAway = false
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

test('scans become history before the first file goes', async () => {
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

test('a title of Epic Games goes by its name, and one that is known by service and name', async () => {
  const beta = '/Builds/Org/o-1/abc/default/ChunksV4/01/x.chunk'
  const betaKey = titleKeyOf('epicgames', beta, 'download.epicgames.com')
  const gamma = '/tpr/pro/data/aa/bb/cc'
  const twin = '/Builds/Org/o-2/abc/default/ChunksV4/01/x.chunk'
  const twinKey = titleKeyOf('epicgames', twin, 'download.epicgames.com')
  const mine = [put('epicgames', beta), put('epicgames', twin), put('blizzard', gamma)]
  const kept = put('blizzard', '/tpr/wow/data/aa/bb/cc')
  await history.read(
    (_db, sql) => sql`
      INSERT INTO titles (title_key, platform, service, game_name, beta_app_id, updated_at)
      VALUES (${betaKey}, 'beta', 'epicgames', 'Bee', 'b1', now()),
        (${twinKey}, 'beta', 'epicgames', 'Bee', 'b2', now())`,
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
  // While the history is away a name that the key tells is enough; any other is not.
  isAway = true
  const other = await owner.post('/api/ext/cache/removals/preview', {
    kind: 'named',
    service: 'blizzard',
    gameName: 'Given by hand',
  })
  expect(other.status).toBe(503)
  expect((await owner.delete('/api/games/beta/Bee')).status).toBe(503)
  isAway = false
  const second = await started(await owner.delete('/api/games/named/BLIZZARD/Overwatch'))
  expect(await ended(second.operationId)).toMatchObject({
    status: 'completed',
    stageKey: 'signalr.namedRemove.complete',
    context: { filesDeleted: 1, service: 'blizzard', dbRecords: 1 },
  })
  expect([...mine, kept].map((path) => existsSync(path))).toEqual([false, false, false, true])
  expect(await downloads()).toEqual([{ id: 8, isEvicted: false }])
})

test('a removal that waits is listed under the name of its game', async () => {
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
  const told = (gameRemovals ?? []).map(({ gameName }) => gameName)
  expect(told).toEqual([...names, 'a: b', 'Game 987123'])
  expect(evictionRemovals).toMatchObject([{ scope: 'named', key: null, gameName: 'a: b' }])
  for (const { operationId } of [...(gameRemovals ?? []), ...(evictionRemovals ?? [])]) {
    app.operations.cancel(operationId)
  }
  free.resolve({ kind: 'completed' })
})

test('by its id and by its name a game of Epic Games is the same one', async () => {
  const free = Promise.withResolvers<OperationResult>()
  const scan = { type: 'cacheSizeScan', scope: 'bulk', name: 'Scan' } as const
  app.operations.submit({ ...scan, run: () => free.promise })
  const path = '/Builds/Org/o-1/abc/default/ChunksV4/01/x.chunk'
  put('epicgames', path)
  const key = titleKeyOf('epicgames', path, 'download.epicgames.com')
  await history.read(
    (_db, sql) => sql`
      INSERT INTO titles (title_key, platform, service, game_name, beta_app_id, updated_at)
      VALUES (${key}, 'beta', 'epicgames', 'Bee', 'b1', now())`,
  )
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

test('a depot that other games use stays, and is named before', async () => {
  const own = depot(9_000_011, 5)
  const shared = depot(228_984, 5)
  // A catalogue that names one owner names just any of the games.
  await history.read(
    (_db, sql) => sql`
      INSERT INTO titles (title_key, platform, service, game_name, game_app_id, depot_id, updated_at)
      VALUES ('alpha:228984', 'alpha', 'steam', 'Nine', 9, 228984, now())`,
  )
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
  // By itself it belongs to its own app; that goes when nobody is left who needs it.
  await history.read((_db, sql) => sql`DELETE FROM titles WHERE title_key = 'alpha:228984'`)
  expect(await ask(228_980)).toMatchObject({ depotIds: [], files: 0, sharedDepots })
  await history.read(async (_db, sql) => {
    await sql`DELETE FROM downloads`
    await sql`DELETE FROM titles`
  })
  expect(await ask(228_980)).toMatchObject({ depotIds: [228_984], files: 1, sharedDepots: [] })
})

test('a cache that failed to be looked at is not believed: nothing is removed', async () => {
  const path = depot(9_000_011, 6)
  await download(12, 'steam', 'alpha:9000011')
  const cache = join(app.root, 'cache')
  const away = join(app.root, 'away')
  const first = await started(await owner.delete('/api/cache/services/nothing'))
  expect(await ended(first.operationId)).toMatchObject({ status: 'completed' })
  renameSync(cache, away)
  mkdirSync(cache)
  const body = await started(await owner.delete('/api/games/9'))
  expect(await ended(body.operationId)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^Nothing was removed.*is the disk mounted\?/) as string,
  })
  renameSync(cache, join(app.root, 'empty'))
  renameSync(away, cache)
  expect(existsSync(path)).toBe(true)
  expect(await downloads()).toEqual([{ id: 12, isEvicted: false }])
})

test('a folder that cannot be written to is refused with a hint', async () => {
  const undo = makeReadOnly(join(app.root, 'cache'))
  try {
    const paths = ['/api/games/9', '/api/games/beta/Bee', '/api/games/named/blizzard/Overwatch']
    paths.push('/api/cache/services/wsus', '/api/cache', '/api/cache/datasources/default')
    for (const path of paths) {
      const answer = await owner.delete(path)
      const { error } = (await answer.json()) as { error: string }
      expect({ path, status: answer.status, error }).toMatchObject({ path, status: 400 })
      expect(error).toMatch(/PUID and PGID/)
    }
  } finally {
    undo()
  }
})

test('every removal that waits for the history is kept; too many are refused', async () => {
  const wait = (id: string) =>
    keepNote(
      app.state,
      { id, action: 'evict', datasources: ['default'], endedBefore: 1 },
      new Date(1_790_000_000_000),
    )
  for (let at = 0; at < 300; at++) wait(`note-${at}`)
  expect(readNotes(app.state)).toHaveLength(300)
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  const next = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(next.operationId)
  expect(readNotes(app.state)).toEqual([])
  // One that can never be done keeps nobody waiting.
  const scope = { kind: 'service', service: 'x\0' } as const
  const names = { titleKeys: [], keptTitleKeys: [] }
  const broken: PendingRemoval = {
    id: 'broken',
    action: 'delete',
    scope,
    ...names,
    endedBefore: 1,
  }
  keepNote(app.state, broken, new Date(1_780_000_000_000))
  wait('after')
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  const later = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(later.operationId)
  expect(readNotes(app.state).map(({ id }) => id)).toEqual(['broken'])
  dropNote(app.state, 'broken')
  app.state.sqlite.transaction(() => {
    for (let at = 0; at < notesMax; at++) wait(`note-${at}`)
  })()
  const refused = await owner.delete('/api/games/9')
  expect({ status: refused.status, wait: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    wait: '60',
  })
  expect((await owner.delete('/api/cache')).status).toBe(503)
  app.state.sqlite.run('DELETE FROM pending_removal')
})

test('what is missing is said', async () => {
  const ask = (body: object) => owner.post('/api/ext/cache/removals/preview', body)
  expect((await ask({ kind: 'alpha' })).status).toBe(400)
  expect((await ask({ kind: 'named', service: 'blizzard' })).status).toBe(400)
  expect((await ask({ kind: 'nothing' })).status).toBe(400)
  const noText = [
    '/api/games/named/blizzard/%00',
    '/api/games/beta/x%00',
    '/api/cache/services/%00',
  ]
  noText.push('/api/cache/evicted/beta?key=%00', '/api/cache/evicted/named/blizzard/a%00b')
  for (const path of noText) {
    expect({ path, status: (await owner.delete(path)).status }).toEqual({ path, status: 400 })
  }
  const active = (await (await owner.get('/api/cache/removals/active')).json()) as object
  expect(active).toEqual({
    isProcessing: false,
    gameRemovals: [],
    serviceRemovals: [],
    corruptionRemovals: [],
    evictionRemovals: [],
  })
})
