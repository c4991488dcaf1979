import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryUnavailable, type History } from '../../../../db/history/history.ts'
import { testApp, type TestApp } from '../../../../test/support/app.ts'
import { freshHistory } from '../../../../test/support/postgres.ts'
import { signInOwner, type Browser } from '../../../../test/support/sign-in.ts'
import { sliceKey, writePiece } from '../../../demo/cache-generator.ts'

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
  expect(app.settings.get('removal.pending')).toMatchObject([{ id: body.operationId }])
  for (const listener of listeners) listener({ ...history.status(), state: 'ready' })
  // Notes are worked on in turn: when the next removal has ended, the first has been settled.
  const next = await started(await owner.delete('/api/cache/services/nothing'))
  await ended(next.operationId)
  expect(await downloads()).toEqual([])
  expect(app.settings.get('removal.pending')).toEqual([])
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
})

test('what is missing is said', async () => {
  const ask = (body: object) => owner.post('/api/ext/cache/removals/preview', body)
  expect((await ask({ kind: 'alpha' })).status).toBe(400)
  expect((await ask({ kind: 'named', service: 'blizzard' })).status).toBe(400)
  expect((await ask({ kind: 'nothing' })).status).toBe(400)
  const active = (await (await owner.get('/api/cache/removals/active')).json()) as object
  expect(active).toEqual({
    isProcessing: false,
    gameRemovals: [],
    serviceRemovals: [],
    corruptionRemovals: [],
    evictionRemovals: [],
  })
})
