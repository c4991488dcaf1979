import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openCache } from '../../../../db/cache/open.ts'
import { cacheFileBytes, sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import { clearTree } from './clear.ts'
import type { DeleteMode, RemovalSelection } from '../contract.ts'
import { removeFiles } from './removal.ts'
import { CacheSession } from '../index/session.ts'
import { walkRoot } from '../index/walk-run.ts'

const mine = 9_000_011
const other = 9_000_012
const body = Buffer.alloc(300, 7)

let folder = ''
let cache = ''
let session: CacheSession

const cacheFile = (depot: number, at: number, extra = 0) => ({
  key: sliceKey('steam', `/depot/${depot}/chunk/${at}`, 0),
  body: Buffer.concat([body, Buffer.alloc(extra)]),
  storedAt: 1_790_000_000,
})
const put = (depot: number, at: number) => writeCacheFile(cache, cacheFile(depot, at))

async function walk(): Promise<void> {
  const [root] = session.rootsOf(null)
  if (root === undefined) throw new Error('no tree')
  const outcome = await walkRoot(session, root, {
    depth: 'directories',
    accept: false,
    isCancelled: () => false,
    onSlice() {},
  })
  expect(outcome.state).toBe('complete')
}

const contents = () =>
  session.store.database
    .query<{ id: number; titleKey: string; files: number; bytes: number }, []>(
      'SELECT id, title_key AS titleKey, files, bytes FROM cache_content ORDER BY title_key',
    )
    .all()
const contentOf = (depot: number) => {
  const found = contents().find(({ titleKey }) => titleKey === `alpha:${depot}`)
  if (found === undefined) throw new Error(`no content of ${depot}`)
  return found
}

interface Options {
  cancelAfter?: number
  onReport?: () => void
  isNetwork?: boolean
  removesEmptyFolders?: boolean
}

function remove(selection: RemovalSelection, options: Options = {}) {
  let done = 0
  return removeFiles(
    session,
    {
      selection,
      removesEmptyFolders: options.removesEmptyFolders ?? false,
      networkDatasources: options.isNetwork === true ? ['main'] : [],
    },
    {
      progress({ filesDone }) {
        done = filesDone
        options.onReport?.()
      },
      isCancelled: () => done >= (options.cancelAfter ?? Number.POSITIVE_INFINITY),
    },
  )
}
const removeMine = (options?: Options) =>
  remove({ kind: 'contents', contentIds: [contentOf(mine).id] }, options)

beforeEach(async () => {
  folder = tempFolder('removal')
  cache = join(folder, 'cache')
  mkdirSync(cache)
  mkdirSync(join(folder, 'data'))
  session = new CacheSession(openCache(join(folder, 'data')), join(folder, 'data'))
  await session.configure([
    { datasource: 'main', path: cache, scheme: 'monolithic', sliceBytes: 1_048_576 },
  ])
})
afterEach(() => {
  session.store.database.close()
})

const diskBytes = (): number =>
  readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

describe.each([false, true])('removal of one game (network file system: %p)', (isNetwork) => {
  test('deletes its files and no others; figures are exact to the byte', async () => {
    const kept: string[] = []
    for (let at = 0; at < 100; at++) {
      put(mine, at)
      kept.push(put(other, at))
    }
    await walk()
    const before = diskBytes()
    const outcome = await removeMine({ isNetwork })
    expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 100, filesChanged: 0 })
    expect(outcome.bytesFreed).toBe(before - diskBytes())
    expect(kept.filter((path) => !existsSync(path))).toEqual([])
    expect(contentOf(mine)).toMatchObject({ files: 0, bytes: 0 })
    const sum = { files: 100, bytes: diskBytes() }
    expect(session.store.roots()).toMatchObject([sum])
    expect(session.store.directorySums(1)).toEqual(sum)
    await walk()
    expect(session.store.roots()).toMatchObject([sum])
    expect(contents()).toMatchObject([{ titleKey: `alpha:${other}`, ...sum }])
  })

  test('leaves files alone that differ from the index', async () => {
    const paths = Array.from({ length: 8 }, (_, at) => put(mine, at))
    await walk()
    const [link, special, replaced, longer, foreign, gone, parent] = paths as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    const outside = join(folder, 'outside')
    renameSync(link, outside)
    symlinkSync(outside, link)
    unlinkSync(special)
    mkdirSync(special)
    // Another file in the same place, then one that grew, then another key under the same name.
    const again = cacheFileBytes(cacheFile(mine, 2))
    unlinkSync(replaced)
    writeFileSync(join(folder, 'held'), again)
    writeFileSync(replaced, again)
    writeFileSync(longer, cacheFileBytes(cacheFile(mine, 3, 10)))
    const times = statSync(foreign)
    writeFileSync(foreign, cacheFileBytes(cacheFile(other, 4)))
    utimesSync(foreign, times.atimeMs / 1000, times.mtimeMs / 1000)
    unlinkSync(gone)
    const moved = join(folder, 'moved')
    renameSync(dirname(parent), moved)
    symlinkSync(moved, dirname(parent))
    const outcome = await removeMine({ isNetwork })
    expect(outcome).toMatchObject({
      state: 'complete',
      filesDeleted: 1,
      alreadyMissing: 1,
      filesChanged: 6,
    })
    expect(existsSync(outside)).toBe(true)
    expect(existsSync(join(moved, basename(parent)))).toBe(true)
    expect([replaced, longer, foreign].map((path) => existsSync(path))).toEqual([true, true, true])
  })

  test('does not trust a tree that is empty or elsewhere', async () => {
    put(mine, 1)
    await walk()
    renameSync(cache, join(folder, 'away'))
    expect(await removeMine({ isNetwork })).toMatchObject({ state: 'failed', filesDeleted: 0 })
    mkdirSync(cache)
    const empty = await removeMine({ isNetwork })
    expect(empty.problem).toContain('is the disk mounted?')
    rmSync(cache, { recursive: true })
    symlinkSync(join(folder, 'away'), cache)
    const moved = await removeMine({ isNetwork })
    expect(moved.problem).toContain('leads somewhere else')
    expect(contentOf(mine).files).toBe(1)
  })

  test('stops when the disk is swapped during the removal', async () => {
    for (let at = 0; at < 900; at++) put(mine, at)
    await walk()
    const outcome = await removeMine({
      isNetwork,
      onReport() {
        if (existsSync(join(folder, 'away'))) return
        renameSync(cache, join(folder, 'away'))
        mkdirSync(cache)
      },
    })
    expect(outcome.state).toBe('failed')
    expect(outcome.problem).toContain('is on another disk now')
    expect(outcome.filesDeleted).toBeLessThan(900)
    expect(contentOf(mine).files).toBe(900 - outcome.filesDeleted)
  })

  test('stops between two files when cancelled', async () => {
    for (let at = 0; at < 900; at++) put(mine, at)
    await walk()
    const outcome = await removeMine({ isNetwork, cancelAfter: 1 })
    expect(outcome.state).toBe('cancelled')
    expect(outcome.filesDeleted).toBeGreaterThan(0)
    expect(contentOf(mine).files).toBe(900 - outcome.filesDeleted)
  })
})

test('individually named files must match their key', async () => {
  const good = put(mine, 1)
  const bad = put(mine, 2)
  writeFileSync(bad, cacheFileBytes(cacheFile(other, 9)))
  await walk()
  const files = [good, bad, join(cache, 'aa/bb', 'f'.repeat(32)), '../../etc/passwd'].map(
    (path) => ({
      datasource: 'main',
      digest: basename(path),
    }),
  )
  const outcome = await remove({ kind: 'files', files })
  expect(outcome).toMatchObject({ filesDeleted: 1, filesChanged: 1, alreadyMissing: 2 })
  expect(existsSync(bad)).toBe(true)
})

test('deletes empty hash directories only on request', async () => {
  const path = put(mine, 1)
  await walk()
  await removeMine()
  expect(existsSync(dirname(path))).toBe(true)
  put(mine, 1)
  put(mine, 2)
  await walk()
  const outcome = await removeMine({ removesEmptyFolders: true })
  expect(outcome).toMatchObject({ filesDeleted: 2, directoriesRemoved: 2 })
  // The proxy would break off a download if the folder vanished in which it creates another.
  expect(readdirSync(cache).map((name) => readdirSync(join(cache, name)))).toEqual([[], []])
  // Empty because of that: nothing that was in it is there any more.
  await walk()
  expect(session.states()).toMatchObject([{ state: 'complete', files: 0, isConclusive: true }])
})

test('stops and gives the reason without permission', async () => {
  const paths = Array.from({ length: 40 }, (_, at) => put(mine, at))
  await walk()
  // Root may delete anywhere except in an immutable or read-only place.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const bind = Bun.spawnSync(['mount', '--bind', '-o', 'ro', cache, cache])
    expect(bind.exitCode).toBe(0)
  } else for (const path of paths) chmodSync(dirname(path), 0o500)
  try {
    const outcome = await removeMine()
    expect(outcome.state).toBe('failed')
    expect(outcome.filesDeleted).toBe(0)
    expect(`${outcome.problem}`).toMatch(/may not be removed|is on another disk/)
    const cleared = await clear('preserve')
    expect(cleared).toMatchObject({ state: 'failed', filesDeleted: 0 })
  } finally {
    if (isRoot) Bun.spawnSync(['umount', '-l', cache])
    else for (const path of paths) chmodSync(dirname(path), 0o700)
  }
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

function clear(mode: DeleteMode, isCancelled = () => false) {
  const options = { datasource: 'main', mode, threads: 4 }
  return clearTree(session, options, { progress() {}, isCancelled })
}

const modes: DeleteMode[] =
  Bun.which('rsync') === null ? ['preserve', 'full'] : ['preserve', 'full', 'rsync']

describe.each(modes)('clearing (%s)', (mode) => {
  test('deletes everything below the hash directories and nothing else', async () => {
    const paths = Array.from({ length: 50 }, (_, at) => put(mine, at))
    await walk()
    const bytes = diskBytes()
    writeFileSync(join(cache, 'CONFIGHASH'), 'a note')
    mkdirSync(join(cache, 'lost+found'))
    writeFileSync(join(cache, 'lost+found', 'x'), 'x')
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'precious'), 'x')
    const free = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0')).find(
      (name) => !existsSync(join(cache, name)),
    )
    symlinkSync(outside, join(cache, `${free}`))
    symlinkSync(outside, join(dirname(paths[0] as string), 'link'))
    const outcome = await clear(mode)
    expect(outcome).toMatchObject({
      state: 'complete',
      filesDeleted: 50,
      bytesDeleted: bytes,
      directoriesProcessed: outcome.totalDirectories,
    })
    expect(existsSync(join(outside, 'precious'))).toBe(true)
    expect(existsSync(join(cache, 'CONFIGHASH'))).toBe(true)
    expect(existsSync(join(cache, 'lost+found', 'x'))).toBe(true)
    expect(paths.filter((path) => existsSync(path))).toEqual([])
    expect(existsSync(dirname(paths[1] as string))).toBe(mode === 'preserve')
    // The proxy would break off a download if the folder vanished in which it creates another.
    expect(existsSync(dirname(dirname(paths[1] as string)))).toBe(true)
    expect(session.store.roots()).toMatchObject([{ files: 0, bytes: 0 }])
    expect(contents().every(({ files }) => files === 0)).toBe(true)
  })

  test('succeeds for an empty root, fails for a missing one, stops when cancelled', async () => {
    expect(await clear(mode)).toMatchObject({ state: 'complete', totalDirectories: 0 })
    put(mine, 1)
    await walk()
    expect(await clear(mode, () => true)).toMatchObject({ state: 'cancelled', filesDeleted: 0 })
    expect(contentOf(mine).files).toBe(1)
    rmSync(cache, { recursive: true })
    expect(await clear(mode)).toMatchObject({ state: 'failed' })
  })
})
