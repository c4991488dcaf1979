import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quietLog } from '../../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { sliceBytes, sliceKey, writeCacheFile } from '../../../demo/cache-generator.ts'
import type { CacheEngine } from '../cache-engine.ts'
import type { CacheRoot } from '../contract.ts'
import type { ObjectReport, ObjectRequest } from './doctor-contract.ts'
import { createCacheEngine } from '../facade.ts'

let folder = ''
let engine: CacheEngine
const storedAt = 1_790_000_000
const run = () => ({ signal: new AbortController().signal, progress: () => {} })
const walk = () => engine.walk({ datasource: null, depth: 'directories' }, run())

beforeEach(async () => {
  folder = tempFolder('doctor')
  const roots: CacheRoot[] = [
    { datasource: 'usual', path: join(folder, 'usual'), scheme: 'monolithic', sliceBytes },
    { datasource: 'hosts', path: join(folder, 'hosts'), scheme: 'bare_metal', sliceBytes },
  ]
  for (const name of ['usual', 'hosts', 'data']) mkdirSync(join(folder, name))
  const dataPath = join(folder, 'data')
  engine = createCacheEngine({ dataPath, log: quietLog, roots: () => Promise.resolve(roots) })
  engine.start()
})
afterEach(() => engine.stop())

const write = (key: string, head?: string, root = 'usual') =>
  writeCacheFile(join(folder, root), {
    key,
    body: new Uint8Array(10),
    storedAt,
    ...(head === undefined ? {} : { head }),
  })

/** One slice of an object with `count` slices; no payload on disk. */
function slice(path: string, at: number, count: number, etag = '"1"'): string {
  const from = at * sliceBytes
  const head = [
    'HTTP/1.1 206 Partial Content',
    `Content-Length: ${sliceBytes}`,
    `Content-Range: bytes ${from}-${from + sliceBytes - 1}/${count * sliceBytes}`,
  ].join('\r\n')
  const key = sliceKey('steam', path, at)
  const file = { key, body: new Uint8Array(), bodyBytes: sliceBytes, storedAt, head, etag }
  return writeCacheFile(join(folder, 'usual'), file)
}

const request = (path: string, more: Partial<ObjectRequest> = {}): ObjectRequest => ({
  datasource: 'usual',
  tag: 'steam',
  path,
  target: path,
  ...more,
})

async function find(of: ObjectRequest): Promise<ObjectReport> {
  const outcome = await engine.doctor.object(of)
  if (outcome.kind !== 'read') throw new Error(outcome.problem)
  return outcome.report
}

describe('cache files of an object', () => {
  test('are found on disk even if the index does not know them yet', async () => {
    write(sliceKey('steam', '/other', 0))
    await walk()
    slice('/a', 0, 40)
    slice('/a', 39, 40)
    const report = await find(request('/a'))
    expect(report).toMatchObject({
      objectBytes: 40 * sliceBytes,
      holes: [{ first: 1, last: 38 }],
      missingAtEnd: null,
      isCut: false,
    })
    expect(report.files.map((file) => [file.slice, file.isInIndex])).toEqual([
      [0, false],
      [39, false],
    ])
    expect(report.files[0]).toMatchObject({
      key: sliceKey('steam', '/a', 0),
      version: 5,
      storedAt,
      validUntil: storedAt + 3560 * 86_400,
      etag: '"1"',
      httpStatus: 206,
      expectedPayloadBytes: sliceBytes,
      actualPayloadBytes: sliceBytes,
      findings: [],
      notJudged: null,
    })
  })

  test('are found by the index beyond a gap, and by name when damaged', async () => {
    const far = slice('/b', 30, 40)
    slice('/b', 31, 40, '"2"')
    await walk()
    const empty = slice('/b', 0, 40)
    truncateSync(empty, 0)
    const report = await find(request('/b'))
    expect(report.files.map(({ slice: at, findings }) => [at, findings])).toEqual([
      [0, ['empty_cache_file']],
      [30, ['slice_disagreement']],
      [31, ['slice_disagreement']],
    ])
    expect(report.missingAtEnd).toEqual({ first: 32, last: 39 })
    expect(report.files[1]?.path).toBe(far)
  })

  test('are found when stored whole, by the fallback, or per host with any query', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 10'
    write('steam/whole', head)
    write('steam/whole::noslice', head)
    write('lancache-epicgames/Builds/a%20b.chunk?token=1', head, 'hosts')
    write(sliceKey('lancache-windows-update', '/files/a.cab', 1), undefined, 'hosts')
    await walk()
    const whole = await find(request('/whole'))
    expect(whole.files.filter(({ isFallback }) => isFallback)).toHaveLength(1)
    expect(whole.files).toHaveLength(2)
    expect(whole.holes).toEqual([])
    const epic = { datasource: 'hosts', tag: 'epicgames', target: '/Builds/a%20b.chunk?token=2' }
    const raw = await find(request('/Builds/a b.chunk', epic))
    expect(raw.files.map(({ key }) => key)).toEqual([
      'lancache-epicgames/Builds/a%20b.chunk?token=1',
    ])
    const updates = await find(request('/files/a.cab', { datasource: 'hosts', tag: 'wsus' }))
    expect(updates.files.map(({ slice: at }) => at)).toEqual([1])
    expect(updates.holes).toEqual([{ first: 0, last: 0 }])
    const unknown = await engine.doctor.object(
      request('/a', { datasource: 'hosts', tag: 'nobody' }),
    )
    expect(unknown.kind).toBe('refused')
  })

  test('never include links, foreign keys or other objects', async () => {
    const real = slice('/c', 0, 2)
    const link = slice('/c', 1, 2)
    rmSync(link)
    symlinkSync(real, link)
    const foreign = slice('/d', 0, 1)
    writeFileSync(foreign, await Bun.file(real).bytes())
    expect((await find(request('/c'))).files.map(({ slice: at }) => at)).toEqual([0])
    expect((await find(request('/d'))).files).toEqual([])
  })
})

test('finds the tags that hold a cache file of the object', async () => {
  slice('/a', 5, 9)
  write(sliceKey('wsus', '/a', 0))
  write(sliceKey('riot', '/b', 0))
  await walk()
  const { tag: _tag, ...object } = request('/a')
  const tags = ['riot', 'steam', 'nobody', 'wsus']
  expect(await engine.doctor.tagsOf(object, tags)).toEqual(['steam', 'wsus'])
})

describe('removal', () => {
  test('removes all cache files of an object, or one, and updates the index', async () => {
    const mine = [slice('/a', 0, 3), slice('/a', 1, 3), slice('/a', 2, 3)]
    const other = slice('/ab', 0, 1)
    await walk()
    truncateSync(mine[1] ?? '', 0)
    const one = await engine.doctor.purge({ ...request('/a'), sliceStart: sliceBytes }, run())
    expect(one).toMatchObject({ state: 'complete', filesDeleted: 1, filesChanged: 0 })
    expect(mine.map((path) => existsSync(path))).toEqual([true, false, true])
    const rest = await engine.doctor.purge({ ...request('/a'), sliceStart: null }, run())
    expect(rest).toMatchObject({ state: 'complete', filesDeleted: 2, alreadyMissing: 0 })
    expect([...mine, other].map((path) => existsSync(path))).toEqual([false, false, false, true])
    const [root] = await engine.roots()
    expect(root?.files).toBe(1)
    const [content] = await engine.contents()
    expect(content?.files).toBe(1)
    const [outcome] = await walk()
    expect(outcome).toMatchObject({ state: 'complete', files: 1 })
  })

  test('does nothing when cancelled or without files', async () => {
    const path = slice('/a', 0, 1)
    const cancelled = { signal: AbortSignal.abort() }
    const outcome = await engine.doctor.purge({ ...request('/a'), sliceStart: null }, cancelled)
    expect(outcome.state).toBe('cancelled')
    expect(existsSync(path)).toBe(true)
    const nothing = await engine.doctor.purge({ ...request('/none'), sliceStart: null }, run())
    expect(nothing).toMatchObject({ state: 'complete', filesDeleted: 0, alreadyMissing: 0 })
  })
})
