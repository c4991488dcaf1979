import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openCache } from '../../../../db/cache/open.ts'
import { sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import { clearTree } from './clear.ts'
import type { DeleteMode } from '../contract.ts'
import { removeFiles } from './removal.ts'
import { CacheSession } from '../index/session.ts'
import { walkRoot } from '../index/walk-run.ts'

const depot = 9_000_011
/** `test/lab` requires the tool; without it there is nothing to test here. */
const modes: DeleteMode[] =
  Bun.which('rsync') === null ? ['preserve', 'full'] : ['preserve', 'full', 'rsync']
let folder = ''
let cache = ''
let session: CacheSession

async function begin(): Promise<void> {
  mkdirSync(join(folder, 'data'))
  session = new CacheSession(openCache(join(folder, 'data')), join(folder, 'data'))
  await session.configure([
    { datasource: 'default', path: cache, scheme: 'monolithic', sliceBytes: 1_048_576 },
  ])
}
beforeEach(async () => {
  folder = tempFolder('faults')
  cache = join(folder, 'cache')
  mkdirSync(cache)
  await begin()
})
afterEach(() => {
  session.store.database.close()
})

const put = (at: number) =>
  writeCacheFile(cache, {
    key: sliceKey('steam', `/depot/${depot}/chunk/${at}`, 0),
    body: Buffer.alloc(300, 7),
    storedAt: 1_790_000_000,
  })
const putMany = (count: number) => Array.from({ length: count }, (_, at) => put(at))

async function walk() {
  const [root] = session.rootsOf(null)
  if (root === undefined) throw new Error('no tree')
  return await walkRoot(session, root, {
    depth: 'directories',
    accept: false,
    isCancelled: () => false,
    onSlice() {},
  })
}

const content = () => {
  const row = session.store.database
    .query<{ id: number; files: number }, []>('SELECT id, files FROM cache_content')
    .get()
  if (row === null) throw new Error('no content')
  return row
}

interface Reports {
  onReport?: (filesDone: number) => void
}

const remove = ({ onReport }: Reports = {}) =>
  removeFiles(
    session,
    {
      selection: { kind: 'contents', contentIds: [content().id] },
      removesEmptyFolders: false,
      networkDatasources: [],
    },
    { progress: ({ filesDone }) => onReport?.(filesDone), isCancelled: () => false },
  )

const clear = (mode: DeleteMode, { onReport }: Reports = {}) =>
  clearTree(
    session,
    { datasource: 'default', mode, threads: 2 },
    {
      progress: ({ directoriesProcessed }) => onReport?.(directoriesProcessed),
      isCancelled: () => false,
    },
  )

/**
 * As root, mounts a small disk below the cache's path; as another user, uses a folder that is moved
 * away instead.
 */
function mountDisk(): () => void {
  if (process.getuid?.() === 0) {
    const mount = ['mount', '-t', 'tmpfs', '-o', 'size=64m', 'lab', cache]
    if (Bun.spawnSync(mount).exitCode === 0)
      return () => void Bun.spawnSync(['umount', '-l', cache])
  }
  return () => {
    if (existsSync(`${cache}-away`)) return
    renameSync(cache, `${cache}-away`)
    mkdirSync(cache)
  }
}

describe('a disk that is removed', () => {
  test('during a removal: stops and keeps the remaining files in the index', async () => {
    const leave = mountDisk()
    try {
      putMany(900)
      await walk()
      const outcome = await remove({ onReport: leave })
      expect(outcome.state).toBe('failed')
      expect(outcome.problem).toContain('is on another disk now')
      expect(outcome.filesDeleted).toBeGreaterThan(0)
      expect(outcome.alreadyMissing).toBe(0)
      expect(content().files).toBe(900 - outcome.filesDeleted)
      expect(await walk()).toMatchObject({ state: 'failed' })
      const again = await remove()
      expect(again).toMatchObject({ state: 'failed', filesDeleted: 0 })
      expect(again.problem).toMatch(/The last walk of .* failed: .*is the disk mounted\?/)
    } finally {
      leave()
    }
  })

  test.each(modes)('during a clearing (%s)', async (mode) => {
    const leave = mountDisk()
    try {
      putMany(400)
      await walk()
      const outcome = await clear(mode, { onReport: leave })
      expect(outcome.state).toBe('failed')
      expect(outcome.problem).toContain('is on another disk now')
      expect(outcome.directoriesProcessed).toBeLessThan(outcome.totalDirectories)
      expect(session.store.directorySums(1).files).toBeGreaterThan(0)
      expect(content().files).toBe(session.store.directorySums(1).files)
    } finally {
      leave()
    }
  })
})

test('clearing ignores vanished folders, but fails for a vanished root', async () => {
  putMany(300)
  await walk()
  const some = readdirSync(cache).slice(100)
  let isOver = false
  const outcome = await clear('preserve', {
    onReport() {
      if (isOver) return
      isOver = true
      for (const name of some) rmSync(join(cache, name), { recursive: true })
    },
  })
  expect(outcome).toMatchObject({ state: 'complete', problem: null })
  put(1)
  await walk()
  const failed = await clear('full', {
    onReport: () => rmSync(cache, { recursive: true, force: true }),
  })
  expect(failed.state).toBe('failed')
  expect(failed.problem).toContain('does not exist')
})

test('leaves pipes, devices and folders in place of a file alone', async () => {
  const [pipe = '', device = '', nested = '', ...rest] = putMany(12)
  await walk()
  for (const path of [pipe, device, nested]) unlinkSync(path)
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  // Only root may create devices; other users create a second pipe.
  const isMade = Bun.spawnSync(['mknod', device, 'c', '1', '3']).exitCode === 0
  if (!isMade) expect(Bun.spawnSync(['mkfifo', device]).exitCode).toBe(0)
  mkdirSync(nested)
  writeFileSync(join(nested, 'inside'), 'x')
  const outcome = await remove()
  expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 9, filesChanged: 3 })
  expect([pipe, device, join(nested, 'inside')].map((path) => existsSync(path))).toEqual([
    true,
    true,
    true,
  ])
  expect(rest.filter((path) => existsSync(path))).toEqual([])
  put(99)
  const cleared = await clear('preserve')
  expect(cleared).toMatchObject({ state: 'complete', filesDeleted: 1, entriesLeft: 3 })
  const left = [pipe, device, join(nested, 'inside')]
  expect(left.filter((path) => !existsSync(path))).toEqual([])
})

describe.each(modes)('clearing (%s)', (mode) => {
  test('never follows a link, and keeps files that the proxy is writing', async () => {
    const [first = '', second = ''] = putMany(20)
    await walk()
    const outside = join(folder, 'outside')
    mkdirSync(join(outside, 'inner'), { recursive: true })
    writeFileSync(join(outside, 'inner', 'precious'), 'x')
    writeFileSync(join(outside, 'precious'), 'x')
    symlinkSync(outside, join(dirname(first), 'aa'))
    symlinkSync(join(outside, 'precious'), join(dirname(first), 'f'.repeat(32)))
    const writing = `${second}.0000000042`
    renameSync(second, writing)
    const outcome = await clear(mode)
    expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 19 })
    expect(existsSync(join(outside, 'precious'))).toBe(true)
    expect(existsSync(join(outside, 'inner', 'precious'))).toBe(true)
    expect(readdirSync(dirname(second))).toContain(basename(writing))
  })
})

test('keeps the rate of a clearing for files and directories, from many files only', async () => {
  putMany(500)
  await walk()
  await clear('full')
  expect(session.store.meta('deletionRate:full')).toBeNull()
  putMany(1200)
  await walk()
  const outcome = await clear('full')
  expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 1200 })
  const rate = session.store.meta('deletionRate:full') as Record<string, number>
  expect(rate['secondsPerFile']).toBeGreaterThan(0)
  expect(rate['secondsPerDirectory']).toBeGreaterThan(0)
  expect(rate['secondsPerFile']).toBeLessThan(0.1)
})

test('a user without access to half the folders gets errors and exact counts', async () => {
  const paths = putMany(300)
  await walk()
  session.store.database.close()
  const closed = paths.filter((path) => Number.parseInt(path.slice(-2), 16) > 127)
  const ordinary = 54_321
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    // The files belong to the ordinary user as which the process below runs.
    expect(Bun.spawnSync(['chown', '-R', `${ordinary}:${ordinary}`, folder]).exitCode).toBe(0)
    chmodSync(folder, 0o755)
  }
  for (const path of closed) chmodSync(dirname(path), 0o500)
  const victim = join(import.meta.dir, '../../../../test/support/victims/cache-removal.ts')
  const dataPath = join(folder, 'data')
  const step = [process.execPath, victim, 'remove', dataPath, cache, `alpha:${depot}`]
  const child = Bun.spawnSync(isRoot ? [...step, String(ordinary)] : step)
  for (const path of closed) chmodSync(dirname(path), 0o700)
  expect(child.stderr.toString()).toBe('')
  const outcome = JSON.parse(child.stdout.toString())
  expect(outcome.state).toBe('failed')
  // On a slow disk eight files are in flight when the tenth is refused.
  expect(outcome.permissionErrors).toBeGreaterThanOrEqual(10)
  expect(outcome.permissionErrors).toBeLessThanOrEqual(17)
  expect(outcome.problem).toMatch(/may not be removed; run with the user id of the proxy/)
  const left = paths.filter((path) => existsSync(path))
  expect(outcome.filesDeleted).toBe(300 - left.length)
  expect(outcome.filesDeleted).toBe(300 - closed.length)
  session = new CacheSession(openCache(dataPath), dataPath)
  expect(content().files).toBe(left.length)
})
