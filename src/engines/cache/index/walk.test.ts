import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCache } from '../../../../db/cache/open.ts'
import { RandomCache, type RandomCacheFile } from '../../../../test/support/random-cache.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import type { WalkDepth, WalkOutcome } from '../contract.ts'
import { digestOf, pathOfDigest } from '../format/key.ts'
import { CacheSession } from './session.ts'
import { walkRoot } from './walk-run.ts'

let folder = ''
const sessions: CacheSession[] = []

async function sessionAt(
  name: string,
  roots: Record<string, string>,
  isRemote = false,
): Promise<CacheSession> {
  mkdirSync(join(folder, name), { recursive: true })
  const session = new CacheSession(openCache(join(folder, name)), join(folder, name))
  sessions.push(session)
  await session.configure(
    Object.entries(roots).map(([datasource, path]) => ({
      datasource,
      path,
      scheme: 'monolithic' as const,
      sliceBytes: 1_048_576,
      isRemote,
    })),
  )
  return session
}

interface WalkChoices {
  depth?: WalkDepth
  accept?: boolean
  nowMs?: () => number
  stopAfter?: number
  onSlice?: () => void
}

async function walk(session: CacheSession, options: WalkChoices = {}): Promise<WalkOutcome[]> {
  const outcomes: WalkOutcome[] = []
  let slices = 0
  for (const root of session.rootsOf(null)) {
    outcomes.push(
      await walkRoot(session, root, {
        depth: options.depth ?? 'directories',
        accept: options.accept ?? false,
        ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }),
        isCancelled: () => slices >= (options.stopAfter ?? Number.POSITIVE_INFINITY),
        onSlice() {
          slices++
          options.onSlice?.()
        },
      }),
    )
  }
  return outcomes
}

/** The index's contents, independent of the ids it assigned. */
function dump({ store }: CacheSession) {
  const files = store.database
    .query(
      `SELECT lower(hex(digest)) AS digest, f.bytes, coalesce(tag, '') AS tag,
         coalesce(title_key, '') AS titleKey, slice_start AS sliceStart, object_hash, etag_hash,
         object_bytes, stored_at, issues, skipped
         FROM cache_file f LEFT JOIN cache_content c ON c.id = f.content_id ORDER BY dir, digest`,
    )
    .all()
  const contents = store.database
    .query(
      `SELECT tag, service, title_key, files, bytes, first_stored_at, last_stored_at
         FROM cache_content ORDER BY tag, title_key`,
    )
    .all()
  const roots = store.roots().map(({ files, bytes, hexDirectories, state }) => ({
    files,
    bytes,
    hexDirectories,
    state,
  }))
  return { files, contents, roots }
}

/** The result of a first walk over the same tree. */
async function fresh(path: string, name = crypto.randomUUID()) {
  const session = await sessionAt(name, { main: path })
  await walk(session)
  return dump(session)
}

const shownFiles = (session: CacheSession) =>
  Object.fromEntries(
    session.store.database
      .query<RandomCacheFile & { digest: string }, []>(
        `SELECT lower(hex(digest)) AS digest, f.bytes, coalesce(tag, '') AS tag,
           coalesce(title_key, '') AS titleKey, slice_start AS sliceStart, issues
           FROM cache_file f LEFT JOIN cache_content c ON c.id = f.content_id`,
      )
      .all()
      .map(({ digest, ...file }) => [digest, file]),
  )

function randomCache(files: number, seed: number): RandomCache {
  const cache = new RandomCache(join(folder, `cache-${seed}`), seed)
  for (let at = 0; at < files; at++) cache.add()
  return cache
}

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
/** The beginning of a script for another process, in the folder `data`. */
function sessionScript({ root }: RandomCache): string {
  const data = join(folder, 'data')
  mkdirSync(data)
  return `
    const { openSession } = await import(${here('./session.ts')})
    const { walkRoot } = await import(${here('./walk-run.ts')})
    const session = openSession(${JSON.stringify(data)})
    await session.configure([{ datasource: 'main', path: ${JSON.stringify(root)},
      scheme: 'monolithic', sliceBytes: 1048576 }])`
}

beforeEach(() => {
  folder = tempFolder('walk')
})

afterEach(() => {
  for (const { store } of sessions.splice(0)) store.database.close()
})

test('indexes every kind of file in every layout', async () => {
  const cache = randomCache(6000, 1)
  const session = await sessionAt('data', { main: cache.root })
  const [outcome] = await walk(session)
  expect(outcome).toMatchObject({ state: 'complete', problem: null, files: cache.files.size })
  expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
  expect(outcome?.temporaryFiles).toBeGreaterThan(0)
  expect(outcome?.foreignEntries).toBeGreaterThan(0)
  expect(outcome?.links).toBeGreaterThan(0)

  const [again] = await walk(session)
  expect(again).toMatchObject({ state: 'complete', headersRead: 0, added: 0, removed: 0 })
  const [closer] = await walk(session, { depth: 'headers' })
  expect(closer).toMatchObject({ headersRead: cache.files.size, files: cache.files.size })
  const depot = session.store.database
    .query<{ files: number; samples: string }, []>(
      `SELECT files, sample_uris AS samples FROM cache_content WHERE title_key = 'alpha:78'`,
    )
    .get()
  const expected = [...cache.files.values()].filter(({ titleKey }) => titleKey === 'alpha:78')
  expect(depot?.files).toBe(expected.length)
  expect(JSON.parse(depot?.samples ?? '[]')).toHaveLength(5)
})

test.each([3, 4, 5])('after changes an updated index equals a new one (seed %d)', async (seed) => {
  const cache = randomCache(300, seed)
  const session = await sessionAt('data', { main: cache.root })
  await walk(session)
  const kinds = ['add', 'remove', 'replace', 'moveFolder'] as const
  const change = () => {
    for (let left = cache.random.between(0, 60); left > 0; left--) cache[cache.random.pick(kinds)]()
  }
  for (let round = 0; round < 5; round++) {
    change()
    const depth = cache.random.pick(['directories', 'fingerprints', 'headers'] as const)
    const stopAfter = cache.random.between(0, 3)
    if (round % 2 === 0) {
      await walk(session, { depth, stopAfter })
      change()
      // What changes behind the position of an interrupted walk is found by the next one.
      await walk(session, { depth })
    }
    const [outcome] = await walk(session, { depth })
    expect(outcome?.state).toBe('complete')
    expect(dump(session)).toEqual(await fresh(cache.root))
  }
  expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
})

test('reads a network disk in parallel, with the same result', async () => {
  const cache = randomCache(3000, 14)
  const session = await sessionAt('data', { main: cache.root }, true)
  await walk(session, { stopAfter: 1 })
  expect(await walk(session)).toMatchObject([{ state: 'complete', files: cache.files.size }])
  expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
  for (let at = 0; at < 100; at++) cache.remove()
  for (let at = 0; at < 100; at++) cache.replace()
  expect(await walk(session)).toMatchObject([{ state: 'complete', files: cache.files.size }])
  expect(dump(session)).toEqual(await fresh(cache.root))
  expect(await walk(session)).toMatchObject([{ headersRead: 0, removed: 0 }])
})

test('indexes files correctly that appear, vanish or change during the walk', async () => {
  const cache = randomCache(3000, 6)
  const session = await sessionAt('data', { main: cache.root })
  let changed = 0
  await walk(session, {
    onSlice() {
      cache.add()
      cache.replace()
      cache.remove()
      changed++
    },
  })
  expect(changed).toBeGreaterThan(1)
  await walk(session)
  expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
  expect(dump(session)).toEqual(await fresh(cache.root))
})

test('a killed walk resumes, with correct figures', async () => {
  const cache = randomCache(6000, 7)
  const script = `
    ${sessionScript(cache)}
    let slices = 0
    const onSlice = () => { if (++slices === Number(process.argv.at(-1))) process.kill(process.pid, 'SIGKILL') }
    const run = { depth: 'headers', accept: false, isCancelled: () => false, onSlice }
    await walkRoot(session, session.rootsOf(null)[0], run)`
  for (const slices of [1, 2, 3, 4]) {
    const victim = Bun.spawn([process.execPath, '-e', script, String(slices)], { stderr: 'pipe' })
    await victim.exited
    expect(victim.signalCode).toBe('SIGKILL')
  }
  const session = await sessionAt('data', { main: cache.root })
  expect(session.states()).toMatchObject([{ state: 'walking', files: 0 }])
  const [outcome] = await walk(session, { depth: 'headers' })
  expect(outcome?.state).toBe('complete')
  expect(outcome?.headersRead).toBeLessThan(cache.files.size)
  expect(dump(session)).toEqual(await fresh(cache.root))
  expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
})

test.each(['first', 'next', 'remote'])(
  'a resumed walk misses no folder that moved: %s',
  async (kind) => {
    const cache = randomCache(2000, 16)
    const session = await sessionAt('data', { main: cache.root }, kind === 'remote')
    if (kind === 'next') await walk(session)
    // Folders before its position do not move it back: else it would not end.
    while ((session.store.roots()[0]?.nextDir ?? 0) < 60_000) {
      const [outcome] = await walk(session, { depth: 'headers', stopAfter: 1 })
      if (outcome?.state === 'complete') break
      cache.moveFolder()
    }
    await walk(session, { depth: 'headers' })
    expect(shownFiles(session)).toEqual(Object.fromEntries(cache.files))
  },
)

describe('a tree that is not trusted', () => {
  test('keeps the index while the disk is missing, and recovers when it is back', async () => {
    const cache = randomCache(200, 8)
    const session = await sessionAt('data', { main: cache.root })
    await walk(session)
    const before = dump(session)
    renameSync(cache.root, `${cache.root}.away`)
    const missing = await walk(session)
    expect(missing).toMatchObject([{ state: 'failed', files: cache.files.size }])
    expect(missing[0]?.problem).toEndWith('does not exist')
    expect(session.states()).toMatchObject([
      { problemKey: 'missing', problemContext: { path: cache.root } },
    ])
    mkdirSync(cache.root)
    await session.configure([
      { datasource: 'main', path: cache.root, scheme: 'monolithic', sliceBytes: 1_048_576 },
    ])
    for (const depth of ['directories', 'headers'] as const) {
      const empty = await walk(session, { depth })
      expect(empty).toMatchObject([{ state: 'failed', files: cache.files.size }])
      expect(empty[0]?.problem).toContain('is the disk mounted')
      expect(session.states()).toMatchObject([{ problemKey: 'empty' }])
    }
    expect(dump(session).files).toEqual(before.files)
    rmSync(cache.root, { recursive: true })
    renameSync(`${cache.root}.away`, cache.root)
    expect(await walk(session)).toMatchObject([{ state: 'complete', removed: 0, headersRead: 0 }])
    expect(dump(session)).toEqual(before)
  })

  test('losing nearly all files needs confirmation', async () => {
    const cache = randomCache(200, 9)
    const session = await sessionAt('data', { main: cache.root })
    await walk(session)
    const { files } = dump(session)
    while (cache.files.size > 15) cache.remove()
    for (const depth of ['directories', 'headers'] as const) {
      const [outcome] = await walk(session, { depth })
      expect(outcome?.problem).toStartWith('Only 15 of ')
      expect(session.states()[0]?.problemContext).toEqual({ left: 15, before: files.length })
      expect(dump(session).files.length).toBe(files.length)
    }
    expect(await walk(session, { accept: true })).toMatchObject([{ state: 'complete', files: 15 }])
    expect(session.states()).toMatchObject([{ problem: null, problemKey: null }])
    expect(dump(session)).toEqual(await fresh(cache.root))
  })

  test.each([
    ['a/one', 'levels=1'],
    [`ab/${'0'.repeat(32)}`, 'levels=2;'],
    [`ab/cd/ef/${'0'.repeat(32)}`, 'levels=2:2:2'],
    ['holiday.jpg', 'no hash directories'],
    ['0'.repeat(32), 'no subdirectories'],
  ])('%s is refused', async (path, problem) => {
    const root = join(folder, 'cache')
    await Bun.write(join(root, path), 'x')
    const session = await sessionAt('data', { main: root })
    const [outcome] = await walk(session)
    expect(outcome).toMatchObject({ state: 'failed', files: 0 })
    expect(outcome?.problem).toContain(problem.replace(';', ''))
  })
})

test('an unreadable directory: drops nothing, indexes the rest', async () => {
  const cache = randomCache(200, 10)
  const beginning = sessionScript(cache)
  const closed = join(cache.root, pathOfDigest([...cache.files.keys()][0] ?? ''), '..')
  chmodSync(closed, 0)
  // As an ordinary user: root may read every directory.
  const uid = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0)
  if (process.getuid?.() === 0) {
    Bun.spawnSync(['chown', '-R', String(uid), folder])
    chownSync(folder, uid, uid)
  }
  const script = `
    process.setuid?.(${uid})
    ${beginning}
    const run = { depth: 'directories', accept: false, isCancelled: () => false, onSlice() {} }
    console.log(JSON.stringify(await walkRoot(session, session.rootsOf(null)[0], run)))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  // One outcome, as printed by the script above.
  const outcome = JSON.parse(stdout.toString()) as WalkOutcome
  expect(outcome).toMatchObject({ state: 'failed', files: 0 })
  expect(outcome.problem).toContain('No permission to read')
  expect(outcome.headersRead).toBeGreaterThan(100)
  chmodSync(closed, 0o700)
  const session = await sessionAt('data', { main: cache.root })
  const [healed] = await walk(session)
  expect(healed).toMatchObject({ state: 'complete', files: cache.files.size })
  expect(dump(session)).toEqual(await fresh(cache.root))
})

test('reports a full disk below the index, and continues when there is space', async () => {
  const cache = randomCache(1500, 11)
  const session = await sessionAt('data', { main: cache.root })
  const { database } = session.store
  const pages = database.query<{ page_count: number }, []>('PRAGMA page_count').get()
  database.run(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 10}`)
  const [outcome] = await walk(session)
  expect(outcome?.state).toBe('failed')
  expect(outcome?.problem).toContain('full')
  expect(session.states()).toMatchObject([{ state: 'failed', problemKey: 'unwritten' }])
  database.run('PRAGMA max_page_count = 1000000')
  expect(await walk(session)).toMatchObject([{ state: 'complete', files: cache.files.size }])
  expect(dump(session)).toEqual(await fresh(cache.root))
})

test('indexes young files at once and judges them later, even if unchanged', async () => {
  const root = join(folder, 'cache')
  const key = sliceKey('steam', '/depot/731/chunk/a', 0)
  writeCacheFile(root, { key, body: new Uint8Array(9), storedAt: 5 })
  writeFileSync(join(root, pathOfDigest(digestOf(key))), 'not a cache file')
  const session = await sessionAt('data', { main: root })
  await walk(session)
  expect(dump(session).files).toMatchObject([{ issues: 0, skipped: 8 }])
  await walk(session, { nowMs: () => Date.now() + 700_000 })
  expect(dump(session).files).toMatchObject([{ issues: 2, skipped: 0 }])
  expect(await walk(session, { nowMs: () => Date.now() + 700_000 })).toMatchObject([
    { headersRead: 0 },
  ])
})

test('walks a folder of several datasources once, and finds one inside a folder', async () => {
  const one = randomCache(50, 12)
  const two = new RandomCache(join(folder, 'volume', 'cache'), 13)
  for (let at = 0; at < 20; at++) two.add()
  const session = await sessionAt('data', {
    first: one.root,
    twin: join(one.root, '..', 'cache-12'),
    volume: join(folder, 'volume'),
  })
  expect(await walk(session)).toMatchObject([
    { datasource: 'first', files: one.files.size },
    { datasource: 'volume', files: two.files.size },
  ])
  expect(session.states()).toMatchObject([
    { datasource: 'first', sharedWith: null, files: one.files.size },
    { datasource: 'twin', sharedWith: 'first', files: one.files.size },
    { datasource: 'volume', sharedWith: null, path: two.root },
  ])
  await session.configure([
    { datasource: 'volume', path: two.root, scheme: 'monolithic', sliceBytes: 1_048_576 },
  ])
  expect(dump(session).files).toHaveLength(two.files.size)
})
