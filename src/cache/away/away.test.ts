import { expect, spyOn, test } from 'bun:test'
import { existsSync, truncateSync, utimesSync } from 'node:fs'
import {
  app,
  downloads,
  download,
  ended,
  history,
  owner,
  put,
  started,
  withRemovals,
} from '../../../test/support/removal-fixture.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { nodesOf } from '../../../test/support/in-process-node.ts'

await withRemovals()

const create = nodesOf(app)
const attic = create('attic')
const barn = create('barn')
await attic.join()
await barn.join()

/** A file of Windows Update on all three machines, and a download from each. */
async function filled(name: string): Promise<string[]> {
  const path = `/d/msdownload/update/${name}.cab`
  await history.read((_db, sql) => sql`DELETE FROM downloads`)
  for (const [at, datasource] of ['default', 'attic', 'barn'].entries()) {
    await download(at + 1, 'wsus', '')
    await history.read(
      (_db, sql) => sql`UPDATE downloads SET datasource = ${datasource} WHERE id = ${at + 1}`,
    )
  }
  return [put('wsus', path), attic.put('wsus', path), barn.put('wsus', path)]
}
const there = (paths: readonly string[]) => paths.map((path) => existsSync(path))
const rows = async () => (await downloads()).map(({ id }) => id)
const read = async <T>(path: string) => (await (await owner.get(path)).json()) as T
interface LaterItem {
  id: string
  name: string
  node: string
  problem: string | null
  operationId: string | null
}
const later = async () =>
  (await read<{ items: LaterItem[] }>('/api/ext/cache/removals/later')).items
const remove = (choice: string) =>
  owner.delete(`/api/cache/services/wsus${choice === '' ? '' : `?whenAway=${choice}`}`)

test('a removal is refused while a node is away, unless its part may be left', async () => {
  const paths = await filled('one')
  await barn.leave()
  const refused = await remove('')
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('The node barn is away since')
  expect(there(paths)).toEqual([true, true, true])

  const skipped = await started(await remove('skip'))
  expect(await ended(skipped.operationId)).toMatchObject({
    status: 'completed',
    context: {
      filesDeleted: 2,
      awayNodes: 'barn',
      isAwayLater: false,
      away: [{ node: 'barn', datasources: ['barn'] }],
    },
  })
  expect(there(paths)).toEqual([false, false, true])
  // The download of what is still there stays.
  expect(await rows()).toEqual([3])
  expect(await later()).toEqual([])
  await barn.join()
  expect(there(paths)).toEqual([false, false, true])
})

test('a node that comes back does its part, but for what was stored since', async () => {
  const paths = await filled('two')
  await attic.leave()
  await barn.leave()
  const { operationId } = await started(await remove('later'))
  expect(await ended(operationId)).toMatchObject({
    status: 'completed',
    context: { filesDeleted: 1, awayNodes: 'attic, barn', isAwayLater: true },
  })
  expect(there(paths)).toEqual([false, true, true])
  expect((await later()).map(({ name }) => name)).toEqual([
    'Removal of wsus on attic',
    'Removal of wsus on barn',
  ])
  const since = Math.floor(Date.now() / 1000) + 60
  const anew = attic.put('wsus', '/d/msdownload/update/anew.cab', since)
  await Promise.all([attic.join(), barn.join()])
  await eventually(async () => (await later()).length === 0, 'both nodes have done their part')
  // One title: what a client uses again stays as a whole.
  expect(there([...paths, anew])).toEqual([false, true, false, true])
  expect(await rows()).toEqual([2])
  const [view] = app.operations.recent({ limit: 9 }).filter(({ name }) => name.endsWith('on attic'))
  expect(view).toMatchObject({ type: 'serviceRemoval', context: { filesStoredSince: 2 } })
})

test('figures name the nodes that they lack', async () => {
  await barn.leave()
  const paths = [
    '/api/cache',
    '/api/games/detect/cached',
    '/api/ext/cache/evicted',
    '/api/ext/prefill/ready',
  ]
  interface Answer {
    away?: object
    gameName?: string
  }
  const preview = async () => {
    const asked = owner.post('/api/ext/cache/removals/preview', {
      kind: 'service',
      service: 'wsus',
    })
    return (await (await asked).json()) as Answer
  }
  const answers = async () => [...(await Promise.all(paths.map(read<Answer>))), await preview()]
  const sinceUtc = barn.host()?.awaySince()?.toISOString() ?? ''
  const away = [{ node: 'barn', datasources: ['barn'], sinceUtc }]
  // The board reads the caches every ten seconds.
  await eventually(
    async () => (await answers()).every((answer) => Bun.deepEquals(answer.away, away)),
    'every answer names the node',
  )
  interface Sources {
    items: { name: string; awaySinceUtc?: string }[]
  }
  const sources = async () => (await read<Sources>('/api/ext/datasources')).items
  expect((await sources()).map((one) => [one.name, one.awaySinceUtc])).toEqual([
    ['default', undefined],
    ['attic', undefined],
    ['barn', sinceUtc],
  ])
  await barn.join()
  await eventually(
    async () => (await answers()).every((answer) => answer.away === undefined),
    'no answer names a node',
  )
})

test('a node has its new name everywhere at once', async () => {
  const folders = async () => {
    const { items } = await read<{
      items: { name: string; cachePath: string; disk: { mountPoint: string } }[]
    }>('/api/ext/datasources')
    const found = items.find(({ name }) => name === 'attic')
    return [found?.cachePath.split(':')[0], found?.disk.mountPoint.split(':')[0]]
  }
  expect(await folders()).toEqual(['attic', 'attic'])
  attic.rename('loft')
  expect(await folders()).toEqual(['loft', 'loft'])
  const { dataSources } = await read<{ dataSources: { cachePath: string }[] }>('/api/system/config')
  expect(dataSources.map(({ cachePath }) => cachePath.split(':')[0])).toContain('loft')
  await attic.leave()
  expect(await (await remove('')).text()).toContain('The node loft is away since')
  await attic.join()
  attic.rename('attic')
})

test('a node that comes back is cleared, with what was stored since', async () => {
  const paths = await filled('three')
  await barn.leave()
  expect((await owner.delete('/api/cache?whenAway=refuse')).status).toBe(503)
  const { operationId } = await started(await owner.delete('/api/cache?whenAway=later'))
  expect(await ended(operationId)).toMatchObject({
    status: 'completed',
    context: { datasourcesCleared: 2, awayNodes: 'barn' },
  })
  expect(there(paths)).toEqual([false, false, true])
  const evicted = async () =>
    (await downloads()).filter(({ isEvicted }) => isEvicted).map(({ id }) => id)
  expect(await evicted()).toEqual([1, 2])
  const anew = barn.put('wsus', '/d/anew.cab', Math.floor(Date.now() / 1000))
  await barn.join()
  await eventually(async () => (await later()).length === 0, 'the node is cleared')
  expect(there([...paths, anew])).toEqual([false, false, false, false])
  expect(await evicted()).toEqual([1, 2, 3])
})

test('evicted downloads of a node that is away are removed when it is back', async () => {
  await filled('four')
  await history.read((_db, sql) => sql`UPDATE downloads SET is_evicted = true`)
  await barn.leave()
  expect((await owner.delete('/api/cache/evicted')).status).toBe(503)
  const skipped = await started(await owner.delete('/api/cache/evicted?whenAway=skip'))
  expect(await ended(skipped.operationId)).toMatchObject({
    status: 'completed',
    context: { downloadsRemoved: 2, awayNodes: 'barn' },
  })
  expect(await rows()).toEqual([3])
  const next = await started(
    await owner.delete('/api/cache/evicted/service?key=wsus&whenAway=later'),
  )
  expect(await ended(next.operationId)).toMatchObject({ context: { downloadsRemoved: 0 } })
  await barn.join()
  await eventually(async () => (await later()).length === 0, 'the node has done its part')
  expect(await rows()).toEqual([])
})

test('findings on a node that is away are removed when it is back', async () => {
  const files = [attic, barn].map((node) => node.put('steam', '/depot/441/chunk/1'))
  for (const path of files) {
    truncateSync(path, 700)
    // A scan skips files younger than ten minutes.
    utimesSync(path, 1_790_000_000, 1_790_000_000)
  }
  const scan = await started(
    await owner.post('/api/cache/corruption/detect?detectionMethod=structural', {}),
  )
  await ended(scan.operationId)
  const { scanId } = await read<{ scanId: string }>(
    '/api/cache/corruption/cached?detectionMethod=structural',
  )
  await barn.leave()
  const path = `/api/cache/services/steam/corruption?scanId=${scanId}`
  expect((await owner.delete(path)).status).toBe(503)
  const { operationId } = await started(await owner.delete(`${path}&whenAway=later`))
  expect(await ended(operationId)).toMatchObject({
    status: 'completed',
    context: { files: 1, awayNodes: 'barn' },
  })
  expect(there(files)).toEqual([false, true])
  await barn.join()
  await eventually(async () => (await later()).length === 0, 'the node has done its part')
  expect(there(files)).toEqual([false, false])
})

test('files are checked on all machines at the same time, and a node that was lost is named', async () => {
  const caches = [attic, barn].flatMap((node) => node.host()?.cache ?? [])
  let walks = 0
  const spies = caches.map((cache) => {
    const walk = cache.walk.bind(cache)
    return spyOn(cache, 'walk').mockImplementation(async (...asked) => {
      walks++
      await eventually(() => walks >= caches.length, 'the others are walked, too')
      return walk(...asked)
    })
  })
  const scan = async () => {
    const path = '/api/cache/corruption/detect?detectionMethod=structural&scanMode=full'
    return ended((await started(await owner.post(path, {}))).operationId)
  }
  expect(await scan()).toMatchObject({ status: 'completed', percentComplete: 100 })
  expect(walks).toBe(2)
  spies[1]?.mockImplementationOnce(() => Promise.reject(new Error('the connection ended')))
  expect(await scan()).toMatchObject({ status: 'failed', error: 'barn: the connection ended' })
  for (const spy of spies) spy.mockRestore()
})

test('a node that is lost during a removal is left like one that was away', async () => {
  const paths = await filled('six')
  const cache = barn.host()?.cache
  if (cache === undefined) throw new Error('barn is connected')
  const loseOnce = () => {
    const spy = spyOn(cache, 'remove')
    spy.mockImplementationOnce(() => {
      spy.mockRestore()
      return Promise.reject(new Error('the connection ended'))
    })
  }
  loseOnce()
  const refused = await started(await remove('refuse'))
  expect(await ended(refused.operationId)).toMatchObject({
    status: 'failed',
    error: 'the connection ended',
  })
  expect(there(paths)).toEqual([false, false, true])
  // No download is gone whose files are not.
  expect(await rows()).toEqual([1, 2, 3])
  loseOnce()
  const { operationId } = await started(await remove('later'))
  expect(await ended(operationId)).toMatchObject({
    status: 'completed',
    context: { awayNodes: 'barn', isAwayLater: true },
  })
  await eventually(async () => (await later()).length === 0, 'it has done its part')
  expect(there(paths)).toEqual([false, false, false])
  expect(await rows()).toEqual([])
})

test('what waits can be cancelled, and goes with its node', async () => {
  const paths = await filled('five')
  await barn.leave()
  const request = async () => {
    const { operationId } = await started(await remove('later'))
    await ended(operationId)
    return await later()
  }
  const [waiting] = await request()
  const path = `/api/ext/cache/removals/later/${waiting?.id}`
  expect((await owner.delete(path)).status).toBe(200)
  expect((await owner.delete(path)).status).toBe(404)
  expect(await later()).toEqual([])
  expect((await request()).map(({ node }) => node)).toEqual(['barn'])
  // The same request again is the same part.
  expect(await request()).toHaveLength(1)
  barn.remove()
  expect(await later()).toEqual([])
  expect(app.logLines.filter((line) => line.includes('the node was removed'))).toHaveLength(1)
  expect(there(paths)).toEqual([false, false, true])
})
