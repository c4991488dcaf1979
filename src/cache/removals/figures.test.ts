/** The list, the dialog and the result of a removal name the same figures, or say what was added. */
import { expect, test } from 'bun:test'
import {
  app,
  depot,
  download,
  ended,
  history,
  owner,
  put,
  started,
  withRemovals,
} from '../../../test/support/removal-fixture.ts'

await withRemovals()
// The list is empty before the first detection.
const at = new Date().toISOString()
app.settings.set('detection.last', { at, usedBytes: {}, tookMs: 60_000 })

interface Ended {
  status: string
  context: Record<string, unknown>
}
interface Listed {
  game_app_id: number
  service_name: string
  cache_files_found: number
  total_size_bytes: number
}
type Figures = { files: number; bytes: number }

// Our own endpoints.
const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const run = async (path: string) =>
  (await ended((await started(await owner.delete(path))).operationId)) as Ended
const walk = () =>
  app.cache.walk(
    { datasource: null, depth: 'directories' },
    { signal: AbortSignal.timeout(60_000), progress: () => {} },
  )
const listed = async (find: (row: Listed) => boolean): Promise<Figures> => {
  const list = await json<{ games: Listed[]; services: Listed[] }>(
    owner.get('/api/games/detect/cached'),
  )
  const row = [...list.games, ...list.services].find(find)
  return { files: row?.cache_files_found ?? 0, bytes: row?.total_size_bytes ?? 0 }
}
const announced = async (body: object): Promise<Figures> => {
  const { files, bytes } = await json<Figures>(owner.post('/api/ext/cache/removals/preview', body))
  return { files, bytes }
}
const removed = ({ context }: Ended) => ({
  files: context['filesDeleted'],
  bytes: context['bytesFreed'] ?? context['bytesDeleted'],
})

test.each([
  {
    what: 'a game',
    add: (at: number) => depot(9_000_021, at),
    path: '/api/games/20',
    body: { kind: 'alpha', appId: 20 },
    find: (row: Listed) => row.game_app_id === 20,
  },
  {
    what: 'a service',
    add: (at: number) => put('wsus', `/d/msdownload/update/${at}.cab`),
    path: '/api/cache/services/wsus',
    body: { kind: 'service', service: 'wsus' },
    find: (row: Listed) => row.service_name === 'wsus',
  },
])('$what', async ({ add, path, body, find }) => {
  for (const at of [1, 2, 3]) add(at)
  await walk()
  const shown = await announced(body)
  expect(shown.files).toBe(3)
  expect(await listed(find)).toEqual(shown)
  const exact = await run(path)
  expect(removed(exact)).toEqual(shown)
  expect(exact.context['filesAdded']).toBe(0)

  for (const at of [4, 5]) add(at)
  await walk()
  const { files } = await announced(body)
  for (const at of [6, 7, 8]) add(at)
  const more = await run(path)
  expect(more.context['filesAdded']).toBe(3)
  expect(removed(more).files).toBe(files + 3)
  expect(await listed(find)).toEqual({ files: 0, bytes: 0 })
})

test('clearing', async () => {
  for (const at of [1, 2, 3]) depot(9_000_021, at)
  await walk()
  const { items } = await json<{ items: Figures[] }>(owner.get('/api/ext/cache/index'))
  const shown = items.map(({ files, bytes }) => ({ files, bytes }))
  depot(9_000_021, 4)
  const { context } = await run('/api/cache')
  expect(shown).toMatchObject([{ files: 3 }])
  expect(context).toMatchObject({ filesDeleted: 4, filesAdded: 1 })
})

test('evicted downloads, also those that no list shows', async () => {
  await download(1, 'steam', 'alpha:9000021')
  await download(2, 'localhost', '')
  const evict = (id: number) =>
    history.read((_db, sql) => sql`UPDATE downloads SET is_evicted = true WHERE id = ${id}`)
  await evict(1)
  await evict(2)
  const total = await json<{ downloads: number }>(owner.get('/api/ext/cache/evicted'))
  expect(total).toEqual({ downloads: 2 })
  const { context } = await run('/api/cache/evicted?purgeLogs=false')
  expect(context).toMatchObject({ downloadsRemoved: total.downloads, downloadsAdded: 0 })

  // What is evicted while the removal waits for another job.
  await download(3, 'steam', 'alpha:9000021')
  await download(4, 'steam', 'alpha:9000021')
  await evict(3)
  const release = Promise.withResolvers<void>()
  app.operations.submit({
    type: 'gameRemoval',
    scope: 'other',
    name: 'Other',
    async run() {
      await release.promise
      return { kind: 'completed' }
    },
  })
  const waiting = await started(await owner.delete('/api/cache/evicted?purgeLogs=false'))
  await evict(4)
  release.resolve()
  const { context: later } = (await ended(waiting.operationId)) as Ended
  expect(later).toMatchObject({ downloadsRemoved: 2, downloadsAdded: 1 })
})
