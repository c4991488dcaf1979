import { expect, test } from 'bun:test'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownMigrations } from '../../../../db/migrations.ts'
import { migrateSqlite } from '../../../../db/migrate-sqlite.ts'
import { openHot } from '../../../../db/hot/open.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import {
  begin,
  caughtUp,
  eachInNewFolder,
  loop,
  pathOf,
} from '../../../../test/support/log-fixture.ts'
import { normalisedPath, objectHashOf } from '../../cache/format/key-scheme.ts'
import { objectTitles } from '../../cache/index/host-titles.ts'
import { nothingSince } from './gathered.ts'

eachInNewFolder()

/** Most paths are recorded from their bytes; some have to be decoded first. */
const targetAt = (index: number) => {
  const name = `/channels/public/bundles/${index}`
  if (index % 50 === 1) return `${name}%20%c3%a4.bundle`
  if (index % 50 === 2) return `${name}//./x/../y.bundle?token=${index}`
  if (index % 50 === 3) return `http://valorant.dyn.riotcdn.net${name}.bundle`
  if (index % 50 === 4) return `${name}/${'long/'.repeat(500)}`
  return `${name}.bundle`
}

// A file of one service is that of a proxy with a prefix of its own for cache keys.
test.each([
  ['access.log', ['riot']],
  ['riot-access.log', ['riot', 'lancache-riot']],
])('each new bundle in %s is recorded with the title of its host', async (name, tags) => {
  // More than one row of the database, and not a multiple of that.
  const count = 2707
  const lineOf = (index: number) =>
    logLine({
      tag: 'riot',
      at: firstSecond,
      path: targetAt(index),
      host: `${index % 7 === 0 ? 'lol' : 'valorant'}.dyn.riotcdn.net`,
    })
  const lines = Array.from({ length: count }, (_, index) => lineOf(index))
  const [first = '', ...rest] = lines
  writeFileSync(pathOf(name), first)
  begin()
  await caughtUp()
  writeFileSync(pathOf(name), [first, ...rest, ...rest].join(''))
  await caughtUp()
  const known = objectTitles(loop.ingest.store.database)
  for (let index = 0; index < count; index++) {
    for (const tag of tags) {
      const title = known.titleOf(objectHashOf(tag, normalisedPath(targetAt(index))))
      expect(title).toBe(index % 7 === 0 ? 'delta:lol' : 'delta:valorant')
    }
  }
  expect(known.titleOf(objectHashOf('steam', normalisedPath(targetAt(0))))).toBeUndefined()
  // Requested again, hardly any is recorded again; and only the last row of a title has space left.
  const { objects, rows } = loop.ingest.store.database
    .query<{ objects: number; rows: number }, []>(
      'SELECT sum(length(object_hashes)) / 8 AS objects, count(*) AS rows FROM object_title',
    )
    .get() ?? { objects: 0, rows: 0 }
  expect(objects).toBeWithin(tags.length * count, tags.length * count * 1.05)
  expect(rows).toBeLessThan(objects / 1024 + 2)
})

test('the newest million objects are kept', () => {
  begin()
  const { store } = loop.ingest
  const commit = (titleKey: string, from: number, count: number) =>
    store.commit({
      members: [],
      skipped: [],
      counts: [],
      gathered: {
        ...nothingSince(1),
        hostTitles: new Map([[titleKey, Array.from({ length: count }, (_, one) => from + one)]]),
      },
      nowMs: 0,
    })
  commit('delta:lol', 0, 60_000)
  commit('delta:valorant', 2 ** 52, 1_000_000)
  const known = objectTitles(store.database)
  expect(known.titleOf(0)).toBeUndefined()
  expect(known.titleOf(59_999)).toBe('delta:lol')
  expect(known.titleOf(2 ** 52)).toBe('delta:valorant')
  expect(known.titleOf(2 ** 52 + 999_999)).toBe('delta:valorant')
})

test('objects that an earlier version recorded one by one keep their titles', () => {
  const folder = tempFolder('earlier-hot')
  const migrations = join(folder, 'migrations')
  cpSync(join(import.meta.dir, '../../../../db/hot/migrations'), migrations, { recursive: true })
  const journal = join(migrations, 'meta/_journal.json')
  const { entries, ...rest } = require(journal) as { entries: unknown[] }
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, 2) }))
  expect(knownMigrations(migrations).length).toBe(2)
  const path = join(folder, 'hot.sqlite')
  const before = migrateSqlite(path, migrations)
  const add = before.query('INSERT INTO host_title (object_hash, title_key) VALUES (?, ?)')
  const hashes = Array.from({ length: 5000 }, (_, index) => index * 1_801_439_850_948 + index)
  const titleOf = (index: number) => (index % 3 === 0 ? 'delta:lol' : 'delta:bacon')
  before.transaction(() => {
    for (const [index, hash] of hashes.entries()) add.run(hash, titleOf(index))
  })()
  before.close()
  using after = openHot(folder)
  const known = objectTitles(after)
  expect(hashes.map((hash) => known.titleOf(hash))).toEqual(
    hashes.map((_, index) => titleOf(index)),
  )
})
