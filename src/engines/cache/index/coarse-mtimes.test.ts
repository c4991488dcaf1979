import { expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCache } from '../../../../db/cache/open.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { seededRandom } from '../../../demo/random.ts'
import { pathOfDigest } from '../format/key.ts'
import { CacheSession } from './session.ts'
import { walkRoot } from './walk-run.ts'

const digests = Array.from(
  { length: 6 },
  (_, at) => `${at}`.repeat(28) + (at < 3 ? '00aa' : '01aa'),
)
const rounds = 40

// Where the cache is, the precision of its mtimes, and how far their clock is behind ours.
test.each([
  ['a disk', 4, 0],
  ['a disk', 1000, 0],
  ['a disk', 2000, 0],
  ['a network disk', 2000, 0],
  ['a network disk', 1000, 3_600_000],
  ['a network disk', 2000, 40_000_000],
  ['a network disk', 2000, -3_600_000],
])('no change is missed on %s with a tick of %d ms, %d ms behind', async (disk, tick, behind) => {
  const folder = tempFolder('mtimes')
  const root = join(folder, 'cache')
  const random = seededRandom(15)
  for (const dir of ['00', '01']) mkdirSync(join(root, 'aa', dir), { recursive: true })
  let clockMs = Math.ceil(Date.now() / 10_000) * 10_000
  const stored = new Map<string, number>()
  // As the proxy does: a complete file is renamed, also over another one.
  const store = (digest: string, bytes: number) => {
    const path = join(root, pathOfDigest(digest))
    stored.delete(digest)
    if (bytes === 0) rmSync(path, { force: true })
    else {
      const temporary = `${path}.0000000001`
      writeFileSync(temporary, 'x'.repeat(bytes))
      utimesSync(temporary, 1, 1)
      renameSync(temporary, path)
      stored.set(digest, bytes)
    }
    const seconds = (Math.floor(clockMs / tick) * tick) / 1000
    utimesSync(join(path, '..'), seconds, seconds)
  }
  using database = openCache(folder)
  const session = new CacheSession(database, folder)
  const isRemote = disk === 'a network disk'
  await session.configure([
    { datasource: 'main', path: root, scheme: 'monolithic', sliceBytes: 1_048_576, isRemote },
  ])
  const indexed = database.query<{ digest: string; bytes: number }, []>(
    'SELECT lower(hex(digest)) AS digest, bytes FROM cache_file',
  )
  const walk = async () => {
    const [row] = session.rootsOf(null)
    if (row === undefined) throw new Error('no tree')
    const how = { depth: 'directories', accept: true, isCancelled: () => false } as const
    return walkRoot(session, row, { ...how, nowMs: () => clockMs + behind, onSlice() {} })
  }
  for (let round = 0; round < rounds; round++) {
    const changes = random.between(0, 2)
    for (let at = 0; at < changes; at++) store(random.pick(digests), random.between(0, 3))
    expect((await walk()).state).toBe('complete')
    expect(new Map(indexed.all().map(({ digest, bytes }) => [digest, bytes]))).toEqual(stored)
    // Often the next change comes within the same tick.
    clockMs += random.pick([0, 1, 900, 1900, 2500])
  }
  clockMs += 100_000_000
  await walk()
  const nothing = { headersRead: 0, added: 0, removed: 0 }
  expect(await walk()).toMatchObject({ ...nothing, files: stored.size })
})
