/** A cache with titles and downloads in a real history, for removal tests. */
import { beforeEach, expect } from 'bun:test'
import { join } from 'node:path'
import { HistoryUnavailable, type History } from '../../db/history/history.ts'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { testApp, type TestApp } from './app.ts'
import { jobEnd } from './job-end.ts'
import { freshHistory } from './postgres.ts'
import { putDownloads } from './put-downloads.ts'
import { signInOwner, type Browser } from './sign-in.ts'

export let history: Awaited<ReturnType<typeof freshHistory>>
let isAway = false
export const listeners: Parameters<History['onStatus']>[0][] = []
export let app: TestApp
export let owner: Browser

export const put = (tag: string, path: string) =>
  writeCacheFile(join(app.root, 'cache'), {
    key: sliceKey(tag, path, 0),
    body: Buffer.alloc(500, 1),
    storedAt: 1_790_000_000,
  })
export const depot = (id: number, at: number) => put('steam', `/depot/${id}/chunk/${at}`)

export const download = (id: number, service: string, titleKey: string) =>
  putDownloads(history, { id, service, titleKey, missBytes: 10 })
export const downloads = () =>
  history.read(async (_db, sql) => [
    ...(await sql<{ id: number; isEvicted: boolean }[]>`
      SELECT id::float8 AS id, is_evicted AS "isEvicted" FROM downloads ORDER BY id`),
  ])

export const ended = async (operationId: string): Promise<object> => ({
  ...(await jobEnd(app.operations, operationId)),
})

export const started = async (response: Response) => {
  const body = (await response.json()) as Record<string, unknown>
  expect({ status: response.status, body }).toMatchObject({ status: 202 })
  return body as { operationId: string; gameName: string; appId: string; status: string }
}

/** Makes the history unavailable, or available again. */
export function setAway(value: boolean): void {
  isAway = value
}

/** One service for the tests of a file, reset before each of them. */
export async function withRemovals(): Promise<void> {
  listeners.length = 0
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
}
