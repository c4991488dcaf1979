import { beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
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
import { nodesOf, type InProcessNode } from '../../../test/support/in-process-node.ts'

withRemovals()

let attic: InProcessNode
let barn: InProcessNode
beforeAll(async () => {
  const create = nodesOf(app)
  attic = create('attic')
  barn = create('barn')
  await attic.join()
  await barn.join()
})

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
