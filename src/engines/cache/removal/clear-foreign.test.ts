import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openCache } from '../../../../db/cache/open.ts'
import { cacheFileBytes, sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import type { DeleteMode } from '../contract.ts'
import { digestOf } from '../format/key.ts'
import { CacheSession } from '../index/session.ts'
import { walkRoot } from '../index/walk-run.ts'
import { clearTree } from './clear.ts'

const modes: DeleteMode[] = ['preserve', 'full', 'rsync']
let folder = ''
let cache = ''
let session: CacheSession

beforeEach(async () => {
  folder = tempFolder('foreign')
  cache = join(folder, 'cache')
  for (const path of [cache, join(folder, 'data')]) mkdirSync(path)
  session = new CacheSession(openCache(join(folder, 'data')), join(folder, 'data'))
  await session.configure([
    { datasource: 'main', path: cache, scheme: 'monolithic', sliceBytes: 1_048_576 },
  ])
})
afterEach(() => {
  session.store.database.close()
})

const context = { progress() {}, isCancelled: () => false }
const clear = (mode: DeleteMode) =>
  clearTree(session, { datasource: 'main', mode, threads: 2 }, context)

const cacheFile = (at: number) => ({
  key: sliceKey('steam', `/depot/1/chunk/${at}`, 0),
  body: Buffer.alloc(100, 7),
  storedAt: 1_790_000_000,
})
const bytesOf = (at: number) => cacheFileBytes(cacheFile(at))
const digest = (at: number) => digestOf(cacheFile(at).key)

function write(path: string, bytes: string | Uint8Array): string {
  mkdirSync(dirname(join(cache, path)), { recursive: true })
  writeFileSync(join(cache, path), bytes)
  return join(cache, path)
}

const everything = () => readdirSync(cache, { recursive: true }).map(String).toSorted()

describe.each(modes)('clearing (%s)', (mode) => {
  test('refuses a folder with other contents, gives the reason and changes nothing', async () => {
    write('db/main/0001.sst', 'x')
    write('db/0/notes.txt', 'x')
    write(`ad/be/${'0'.repeat(32)}`, 'x')
    write(`ef/be/${'0'.repeat(28)}beef`, 'no head of a cache file')
    mkdirSync(join(cache, 'fe', 'ed'), { recursive: true })
    const before = everything()
    const outcome = await clear(mode)
    expect(outcome).toMatchObject({ state: 'failed', filesDeleted: 0 })
    expect(outcome.problem).toContain('contains no cache files')
    expect(everything()).toEqual(before)
  })

  test('accepts a new cache and deletes none of its files', async () => {
    mkdirSync(join(cache, 'aa', 'bb'), { recursive: true })
    write(`cc/dd/${'0'.repeat(28)}ddcc.0123456789`, 'being written')
    const before = everything()
    expect(await clear(mode)).toMatchObject({ state: 'complete', filesDeleted: 0, problem: null })
    expect(everything()).toEqual(before)
  })

  test('deletes only files that match their key, name and folder', async () => {
    const own = writeCacheFile(cache, cacheFile(1))
    const damaged = writeCacheFile(cache, cacheFile(2))
    truncateSync(damaged, statSync(damaged).size - 50)
    const place = (at: number) => join(digest(at).slice(30), digest(at).slice(28, 30))
    const left = [
      write(join(place(3), digest(3)), bytesOf(4)),
      write(join(place(5), digest(5)), 'no head'),
      write(join(place(6), digest(6)), ''),
      write(join(digest(7).slice(30), digest(7)), bytesOf(7)),
      write(join(place(8), '00', digest(8)), bytesOf(8)),
      write(join('00', '00', digest(9)), bytesOf(9)),
      write(join(place(10), `${digest(10)}.0123456789`), bytesOf(10)),
      write(join(place(11), digest(11).toUpperCase()), bytesOf(11)),
      write(join('db', 'main', 'table'), 'x'),
    ]
    const outcome = await clear(mode)
    expect(outcome).toMatchObject({ state: 'complete', filesDeleted: 2 })
    expect([own, damaged].filter((path) => existsSync(path))).toEqual([])
    expect(left.filter((path) => !existsSync(path))).toEqual([])
    expect(outcome.entriesLeft).toBeGreaterThanOrEqual(left.length)
  })

  test("a misplaced file does not affect the detection of a tree's levels", async () => {
    const own = Array.from({ length: 20 }, (_, at) => writeCacheFile(cache, cacheFile(at)))
    const left = Array.from({ length: 20 }, (_, at) => {
      const name = digest(at + 100)
      return write(join(name.slice(30), name), bytesOf(at + 100))
    })
    expect(await clear(mode)).toMatchObject({ state: 'complete', filesDeleted: 20 })
    expect([own, left].map((paths) => paths.filter((path) => existsSync(path)).length)).toEqual([
      0, 20,
    ])
  })

  test('reads an indexed file again if it changed since', async () => {
    const [kept, swapped] = [
      writeCacheFile(cache, cacheFile(1)),
      writeCacheFile(cache, cacheFile(2)),
    ]
    const old = new Date('2026-01-01T00:00:00Z')
    for (const path of [kept, swapped]) utimesSync(path, old, old)
    const [root] = session.rootsOf(null)
    if (root === undefined) throw new Error('no tree')
    const how = { depth: 'directories', accept: false, isCancelled: () => false } as const
    await walkRoot(session, root, { ...how, onSlice() {} })
    expect(session.store.directorySums(root.id).files).toBe(2)
    // Same name, inode, length and mtime.
    writeFileSync(swapped, Buffer.alloc(statSync(swapped).size, 1))
    utimesSync(swapped, old, old)
    expect(await clear(mode)).toMatchObject({ state: 'complete', filesDeleted: 1 })
    expect([kept, swapped].map((path) => existsSync(path))).toEqual([false, true])
  })

  test.each([1, 3])('clears a cache with %p levels by its own levels', async (levels) => {
    const paths = [1, 2, 3].map((at) => {
      const name = digest(at)
      const names = [name.slice(30), name.slice(28, 30), name.slice(26, 28)].slice(0, levels)
      return write(join(...names, name), bytesOf(at))
    })
    const [first = ''] = paths
    const misplaced = join(dirname(first), basename(first).replace(/^./, 'f'))
    writeFileSync(misplaced, bytesOf(1))
    expect(await clear(mode)).toMatchObject({ state: 'complete', filesDeleted: 3 })
    expect(paths.filter((path) => existsSync(path))).toEqual([])
    expect(existsSync(misplaced)).toBe(true)
  })
})

test('deletes files with a Vary variant, or a key longer than the first read', async () => {
  const long = writeCacheFile(cache, {
    ...cacheFile(1),
    key: sliceKey('steam', `/${'x'.repeat(4000)}`, 0),
  })
  const bytes = Buffer.from(bytesOf(2))
  const variant = digestOf('of the main key and the headers that it varies by')
  bytes.writeUInt8(15, 187)
  bytes.write(variant, 316, 'hex')
  const varied = write(join(variant.slice(30), variant.slice(28, 30), variant), bytes)
  expect(await clear('preserve')).toMatchObject({ state: 'complete', filesDeleted: 2 })
  expect([long, varied].filter((path) => existsSync(path))).toEqual([])
})

test('does not follow a cache that is moved during the clearing', async () => {
  for (let at = 0; at < 600; at++) writeCacheFile(cache, cacheFile(at))
  let isMoved = false
  const outcome = await clearTree(
    session,
    { datasource: 'main', mode: 'preserve', threads: 1 },
    {
      progress() {
        if (!isMoved) renameSync(cache, join(folder, 'safe'))
        isMoved = true
      },
      isCancelled: () => false,
    },
  )
  expect(outcome.state).toBe('failed')
  const left = readdirSync(join(folder, 'safe'), { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile())).toHaveLength(600 - outcome.filesDeleted)
  expect(outcome.filesDeleted).toBeLessThan(20)
})
