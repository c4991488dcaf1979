import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { hash53 } from '../../../core/lib/hash53.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import {
  begin,
  caughtUp,
  eachInNewFolder,
  loop,
  pathOf,
} from '../../../../test/support/log-fixture.ts'

eachInNewFolder()

const pathAt = (index: number) => `/channels/public/bundles/${index}.bundle`

const titles = () =>
  new Map(
    loop.ingest.store.database
      .query<{ hash: number; title: string }, []>(
        'SELECT object_hash AS hash, title_key AS title FROM host_title',
      )
      .all()
      .map(({ hash, title }) => [hash, title]),
  )

// A file of one service is that of a proxy with a prefix of its own for cache keys.
test.each([
  ['access.log', ['riot']],
  ['riot-access.log', ['riot', 'lancache-riot']],
])('each new bundle in %s is recorded with the title of its host', async (name, tags) => {
  // More than go into the database at once, and not a multiple of that.
  const count = 707
  const host = 'valorant.dyn.riotcdn.net'
  const lines = Array.from({ length: count }, (_, index) =>
    logLine({ tag: 'riot', at: firstSecond, path: pathAt(index), host }),
  )
  writeFileSync(pathOf(name), lines.join(''))
  begin()
  await caughtUp()
  const known = titles()
  expect(known.size).toBe(tags.length * count)
  for (let index = 0; index < count; index++) {
    for (const tag of tags) {
      expect(known.get(hash53(`${tag}${pathAt(index)}`))).toBe('delta:valorant')
    }
  }
})
