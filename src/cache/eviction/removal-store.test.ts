import type { EvictedScope } from '../../../db/state/schema/removals.ts'
import { beforeEach, expect, test } from 'bun:test'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import { countEvicted, deleteEvictedSlice, goneObjects, goneTitles } from './removal-store.ts'

const history = await freshHistory()
await history.read(
  (_db, sql) => sql`
  INSERT INTO titles (title_key, platform, service, game_name, game_app_id, beta_app_id, depot_id,
    updated_at)
  VALUES ('alpha:11', 'alpha', 'steam', 'Game A', 10, NULL, 11, now()),
    ('alpha:99', 'alpha', 'steam', NULL, NULL, NULL, 99, now()),
    ('beta:/b', 'beta', 'epicgames', 'Game B', NULL, 'b1', NULL, now()),
    ('gamma:pro', 'gamma', 'blizzard', 'Overwatch', NULL, NULL, NULL, now()),
    ('epsilon:/a', 'epsilon', 'wsus', 'Forza', NULL, NULL, NULL, now()),
    ('epsilon:/b', 'epsilon', 'xboxlive', 'Forza', NULL, NULL, NULL, now())`,
)

const rows: [number, string, string, boolean, number][] = [
  [1, 'steam', 'alpha:11', true, 10],
  [2, 'steam', 'alpha:11', false, 10],
  [3, 'steam', 'alpha:99', true, 10],
  [4, 'steam', 'alpha:99', false, 0],
  [5, 'epicgames', 'beta:/b', true, 10],
  [6, 'blizzard', 'gamma:pro', true, 10],
  [7, 'blizzard', '', true, 10],
  [8, 'wsus', '', false, 10],
  [9, 'wsus', 'epsilon:/a', true, 10],
  [10, 'xboxlive', 'epsilon:/b', true, 10],
]
beforeEach(() =>
  history.read(async (_db, sql) => {
    await sql`DELETE FROM downloads`
    for (const [id, service, titleKey, isEvicted, hitBytes] of rows) {
      await putDownloads(history, { id, service, titleKey, isEvicted, hitBytes })
    }
    await sql`INSERT INTO download_objects VALUES (7, ARRAY['0 /one', '1048576 /one', '0 /two words'])`
  }),
)

const left = () =>
  history.read(async (_db, sql) => {
    const found = await sql<{ id: string }[]>`SELECT id FROM downloads ORDER BY id`
    return found.map(({ id }) => Number(id))
  })

const scopes: [EvictedScope, number[]][] = [
  [{ kind: 'bulk' }, [1, 3, 5, 6, 7, 9, 10]],
  [{ kind: 'alpha', appId: 10 }, [1]],
  [{ kind: 'alpha', appId: 99 }, [3]],
  [{ kind: 'alpha', appId: 11 }, []],
  [{ kind: 'beta', betaAppId: 'b1' }, [5]],
  [{ kind: 'named', service: 'blizzard', gameName: 'Overwatch' }, [6]],
  [{ kind: 'named', service: 'blizzard', gameName: 'overwatch' }, []],
  [{ kind: 'named', service: 'xbox', gameName: 'Forza' }, [9, 10]],
  [{ kind: 'service', service: 'blizzard' }, [6, 7]],
  [{ kind: 'service', service: 'steam' }, [3]],
]

test.each(scopes)('%j deletes its evicted downloads and no others', async (scope, ids) => {
  const count = await history.read((_db, sql) => countEvicted(sql, scope))
  const deleted = await history.read((_db, sql) => deleteEvictedSlice(sql, scope))
  expect([count, deleted]).toEqual([ids.length, ids.length])
  expect(await left()).toEqual(rows.map(([id]) => id).filter((id) => !ids.includes(id)))
})

test('titles with nothing left, and objects without a title', async () => {
  const titles = await history.read((_db, sql) => goneTitles(sql, { kind: 'bulk' }))
  expect(titles.map(({ titleKey }) => titleKey).sort()).toEqual([
    'alpha:99',
    'beta:/b',
    'epsilon:/a',
    'epsilon:/b',
    'gamma:pro',
  ])
  expect(titles).toContainEqual({ datasource: 'default', service: 'steam', titleKey: 'alpha:99' })
  const objects = await history.read((_db, sql) => goneObjects(sql, { kind: 'bulk' }))
  expect(objects.map(({ path }) => path).sort()).toEqual(['/one', '/two words'])
  const none = await history.read((_db, sql) => goneTitles(sql, { kind: 'alpha', appId: 10 }))
  expect([...none]).toEqual([])
})
