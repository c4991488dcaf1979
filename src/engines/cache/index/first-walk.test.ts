import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openCache } from '../../../../db/cache/open.ts'
import { RandomCache } from '../../../../test/support/random-cache.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import { ContentIds } from './content-ids.ts'
import { FirstWalk } from './first-walk.ts'
import { digestOf, dirOfDigest, pathOfDigest } from '../format/key.ts'
import { NewDirectories } from './new-directories.ts'
import { Readers } from './readers.ts'
import { CacheSession } from './session.ts'
import { listTree } from './tree.ts'
import { TreeWalk } from './walk.ts'
import { newState, type WalkParts } from './walk-state.ts'

const reader = (name: string) =>
  new URL(`../../../../test/support/${name}-reader.worker.ts`, import.meta.url).href

let folder = ''
const sessions: CacheSession[] = []

async function partsOf(root: string): Promise<WalkParts> {
  const data = join(folder, crypto.randomUUID())
  mkdirSync(data)
  const session = new CacheSession(openCache(data), data)
  sessions.push(session)
  await session.configure([
    { datasource: 'main', path: root, scheme: 'monolithic', sliceBytes: 1_048_576 },
  ])
  const [row] = session.rootsOf(null)
  if (row === undefined) throw new Error('no tree')
  const { store } = session
  return { store, root: row, tree: listTree(root), depth: 'headers', fromDir: 0, nowMs: Date.now }
}

function firstWalkOf(parts: WalkParts, readers: Readers) {
  const state = newState()
  const contents = new ContentIds(parts.store, parts.root.id)
  const walk = new FirstWalk(parts, { contents, state, readers })
  return { state, slices: walk.run(parts.tree.dirs) }
}

/** Everything written to the index, with the types of the values. */
const dump = ({ store }: WalkParts) => ({
  files: store.database
    .query(
      `SELECT f.dir, hex(digest), tag, title_key, object_hash, slice_start, f.bytes, etag_hash,
         last_modified_at, object_bytes, stored_at, inode, mtime_ms, ctime_ms, issues, skipped,
         typeof(object_hash), typeof(slice_start), typeof(inode), typeof(etag_hash), typeof(mtime_ms)
         FROM cache_file f LEFT JOIN cache_content c ON c.id = content_id ORDER BY dir, digest`,
    )
    .values(),
  directories: store.database.query('SELECT * FROM cache_directory ORDER BY dir').values(),
  contents: store.database
    .query('SELECT tag, service, title_key, sample_uris FROM cache_content ORDER BY tag, title_key')
    .values(),
})

beforeEach(() => {
  folder = tempFolder('first-walk')
})

afterEach(() => {
  for (const { store } of sessions.splice(0)) store.database.close()
})

function randomCache(files: number, seed: number): RandomCache {
  const cache = new RandomCache(join(folder, 'cache'), seed)
  for (let at = 0; at < files; at++) cache.add()
  return cache
}

describe('reader threads', () => {
  test.each(['usual', 'dying'])(
    'with %s: the index equals that of a single thread',
    async (kind) => {
      const cache = randomCache(3000, 21)
      const alone = await partsOf(cache.root)
      const walk = new TreeWalk(alone)
      expect([...walk.runAlone()].length).toBeGreaterThan(0)
      const shared = await partsOf(cache.root)
      const readers = kind === 'usual' ? new Readers(3) : new Readers(3, reader('dying'))
      const { state, slices } = firstWalkOf(shared, readers)
      const frontiers: number[] = []
      for await (const _slice of slices) {
        frontiers.push(shared.store.root(shared.root.id)?.nextDir ?? -1)
      }
      expect(readers.count).toBe(kind === 'usual' ? 3 : 0)
      await readers.close()
      expect(frontiers).toEqual(frontiers.toSorted((one, other) => one - other))
      expect(frontiers.at(-1)).toBe((shared.tree.dirs.at(-1) ?? 0) + 1)
      expect(dump(shared)).toEqual(dump(alone))
      expect({ ...state, inFlight: 1 }).toEqual(walk.state)
    },
  )

  test('commit whole directories only: all before the frontier, none beyond', async () => {
    const cache = randomCache(3000, 22)
    const parts = await partsOf(cache.root)
    const readers = new Readers(2)
    const reached = () => parts.store.root(parts.root.id)?.nextDir ?? 0
    for await (const _slice of firstWalkOf(parts, readers).slices) if (reached() > 0) break
    await readers.close()
    const frontier = reached()
    const before = [...cache.files.keys()].filter((digest) => dirOfDigest(digest) < frontier)
    const rows = parts.store.database
      .query<{ digest: string }, []>('SELECT lower(hex(digest)) AS digest FROM cache_file')
      .all()
    expect(frontier).toBeGreaterThan(0)
    expect(rows.map(({ digest }) => digest).toSorted()).toEqual(before.toSorted())
  })

  test('with an unresponsive disk: the caller is asked whether to continue', async () => {
    const cache = randomCache(20, 23)
    const pipe = join(cache.root, 'pipe')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    const readers = new Readers(1, reader('hanging'))
    const { state, slices } = firstWalkOf(await partsOf(cache.root), readers)
    let asked = 0
    for await (const _slice of slices) if (++asked === 2) break
    expect(state.filesSeen).toBe(0)
    await readers.close()
    expect(readers.count).toBe(0)
    // Releases the thread, which still waits for this.
    writeFileSync(pipe, 'x')
  })
})

test('never opens or indexes foreign entries; reports inaccessible and missing folders', () => {
  const root = join(folder, 'cache')
  const key = sliceKey('steam', '/depot/731/chunk/a', 0)
  const digest = digestOf(key)
  writeCacheFile(root, { key, body: new Uint8Array(9), storedAt: 5 })
  const place = dirname(join(root, pathOfDigest(digest)))
  const named = (first: string) => join(place, first.repeat(28) + digest.slice(28))
  symlinkSync('/etc/passwd', named('1'))
  expect(Bun.spawnSync(['mkfifo', named('2')]).exitCode).toBe(0)
  mkdirSync(named('3'))
  writeFileSync(join(place, `${digest}.0000000001`), 'half')
  writeFileSync(named('4'), '')
  writeFileSync(join(place, 'f'.repeat(32)), '')
  mkdirSync(join(root, '00'))
  writeFileSync(join(root, '00', '01'), 'no folder')
  mkdirSync(join(root, '00', '03'), { mode: 0 })
  const dirs = [1, 2, 3, dirOfDigest(digest)]
  const nowMs = Date.now() + 3_600_000
  const batch = new NewDirectories().read({ treePath: root, dirs, depth: 'directories', nowMs })
  const third = process.getuid?.() === 0 ? 'read' : 'failed'
  expect(batch.directories).toMatchObject([
    { dir: 1, outcome: 'gone', rows: 0 },
    { dir: 2, outcome: 'gone', rows: 0 },
    { dir: 3, outcome: third, rows: 0 },
    { outcome: 'read', rows: 2, files: 2, isUnsettled: false },
  ])
  expect(batch.problem === null).toBe(third === 'read')
  expect(batch.contents).toMatchObject([{ tag: 'steam', titleKey: 'alpha:731' }])
  expect(batch.counts).toMatchObject({
    filesSeen: 2,
    links: 1,
    specialFiles: 1,
    temporaryFiles: 1,
    foreignEntries: 2,
    ioErrors: 0,
  })
})
