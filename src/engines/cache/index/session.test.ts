import { expect, test } from 'bun:test'
import { openCache } from '../../../../db/cache/open.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { CacheSession } from './session.ts'

test('a known tree takes another key scheme and slice size', async () => {
  const folder = tempFolder('cache-session')
  using database = openCache(folder)
  const session = new CacheSession(database, folder)
  const tree = { datasource: 'main', path: folder }
  await session.configure([{ ...tree, scheme: 'monolithic', sliceBytes: 1_048_576 }])
  const changed = { scheme: 'bare_metal', sliceBytes: 0 } as const
  await session.configure([{ ...tree, ...changed }])
  expect(session.rootsOf(null)).toMatchObject([{ id: 1, ...changed }])
})
