import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { mountDeadShare, type DeadShare } from '../../../test/support/dead-share.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import type { CacheEngine } from './cache-engine.ts'
import type { CacheRoot, ObjectName, WalkProgress } from './contract.ts'
import { createCacheEngine } from './facade.ts'
import { dirName } from './format/key.ts'

let folder = ''
let engine: CacheEngine
const roots: CacheRoot[] = []
const reports: WalkProgress[] = []
let share: DeadShare | null = null
const run = () => ({
  signal: new AbortController().signal,
  progress: (report: WalkProgress) => void reports.push(report),
})
const walk = (depth: 'directories' | 'headers' = 'directories') =>
  engine.walk({ datasource: null, depth }, run())

const write = (root: string, key: string) =>
  writeCacheFile(join(folder, root), { key, body: new Uint8Array(10), storedAt: 1_790_000_000 })

const rootAt = (datasource: string, scheme: CacheRoot['scheme'], sliceBytes = 1_048_576) => {
  mkdirSync(join(folder, datasource), { recursive: true })
  return { datasource, path: join(folder, datasource), scheme, sliceBytes }
}

beforeEach(async () => {
  folder = tempFolder('cache')
  reports.length = 0
  roots.splice(0, roots.length, rootAt('usual', 'monolithic'), rootAt('hosts', 'bare_metal'))
  mkdirSync(join(folder, 'data'))
  const dataPath = join(folder, 'data')
  engine = createCacheEngine({ dataPath, log: quietLog, roots: () => Promise.resolve([...roots]) })
  engine.start()
})

afterEach(async () => {
  // Before everything else, because nothing that touches it would end.
  share?.end()
  share = null
  await engine.stop()
})

test('finds objects under every key that they can have', async () => {
  write('usual', sliceKey('steam', '/depot/1/chunk/a', 2))
  write('usual', 'steam/depot/1/chunk/whole')
  write('usual', 'steam/depot/1/chunk/back::noslice')
  write('hosts', 'lancache-steam/depot/1/chunk/a')
  write('hosts', 'lancache-epicgames/Builds/a%20b.chunk?token=1')
  write('hosts', sliceKey('lancache-windows-update', '/files/a.cab', 1))
  const usual = { datasource: 'usual', tag: 'steam', firstByte: 2_500_000 }
  const hosts = { datasource: 'hosts', firstByte: 1_500_000 }
  const asked: [ObjectName, boolean | null][] = [
    [{ ...usual, uri: '/depot/1/chunk/a' }, true],
    [{ ...usual, uri: '/depot/1/chunk/a', firstByte: 0 }, false],
    [{ ...usual, uri: '/depot/1/chunk/whole' }, true],
    [{ ...usual, uri: '/depot/1/chunk/back' }, true],
    [{ ...usual, tag: 'wsus', uri: '/depot/1/chunk/a' }, false],
    [{ ...usual, datasource: 'other', uri: '/depot/1/chunk/a' }, null],
    [{ ...hosts, tag: 'steam', uri: '/depot/1/chunk/a' }, true],
    [{ ...hosts, tag: 'epicgames', uri: '/Builds/a b.chunk' }, true],
    [{ ...hosts, tag: 'epicgames', uri: '/Builds/b.chunk' }, false],
    [{ ...hosts, tag: 'wsus', uri: '/files/a.cab' }, true],
    [{ ...hosts, tag: 'wsus', uri: '/files/a.cab', firstByte: 0 }, false],
    [{ ...hosts, tag: 'nobody', uri: '/files/a.cab' }, null],
  ]
  const names = asked.map(([name]) => name)
  // Unknown before the first walk.
  expect(await engine.present(names)).toEqual(asked.map(() => null))
  await walk()
  expect(await engine.present(names)).toEqual(asked.map(([, answer]) => answer))
  const contents = await engine.contents()
  expect(contents.map(({ datasource, service }) => `${datasource} ${service}`).toSorted()).toEqual([
    'hosts epicgames',
    'hosts steam',
    'hosts wsus',
    'usual steam',
  ])
  const ids = contents.filter(({ datasource }) => datasource === 'usual').map(({ id }) => id)
  const paths = await engine.paths(ids, 10)
  expect(paths.map((path) => existsSync(path))).toEqual([true, true, true])
  expect(await engine.paths(ids, 2)).toHaveLength(2)
})

test('a call for less joins the running walk; cancelling it does not stop the others', async () => {
  for (let at = 0; at < 300; at++) write('usual', sliceKey('steam', `/depot/1/chunk/${at}`, 0))
  const giveUp = new AbortController()
  const first = engine.walk(
    { datasource: null, depth: 'headers' },
    { ...run(), signal: giveUp.signal },
  )
  const second = engine.walk({ datasource: 'usual', depth: 'directories' }, run())
  giveUp.abort()
  const [one, other] = await Promise.all([first, second])
  expect(other).toBe(one)
  expect(one[0]).toMatchObject({ state: 'complete', files: 300, headersRead: 300 })

  const lonely = new AbortController()
  lonely.abort()
  const cancelled = await engine.walk(
    { datasource: null, depth: 'headers' },
    { ...run(), signal: lonely.signal },
  )
  expect(cancelled.at(-1)?.state).toBe('cancelled')
  expect(await walk()).toMatchObject([{ state: 'complete', files: 300 }, { state: 'complete' }])
})

test('a killed worker restarts with its index; changes are announced', async () => {
  let changes = 0
  engine.onChange(() => changes++)
  write('usual', sliceKey('steam', '/depot/1/chunk/a', 0))
  await walk()
  expect(changes).toBe(1)
  const failure = engine.contents().then(
    () => null,
    (error: unknown) => String(error),
  )
  // The request reaches the worker after some turns; its answer takes longer.
  for (let turns = 0; turns < 30; turns++) await Promise.resolve()
  await engine.forceKill()
  expect(await failure).toContain('killed')
  expect(await engine.roots()).toMatchObject([{ datasource: 'usual', files: 1 }, { files: 0 }])
  expect(await walk('headers')).toMatchObject([{ state: 'complete', files: 1 }, {}])
})

test('keeps the last size scan; measures the speed of deletions next to the data', async () => {
  write('usual', sliceKey('steam', '/depot/1/chunk/a', 0))
  await walk()
  expect(await engine.lastSizeScan()).toBeNull()
  const saved = await engine.saveSizeScan({ scanDurationMs: 5, usage: [] })
  expect(saved).toMatchObject({ totalFiles: 1, hexDirectories: 2, scanDurationMs: 5 })
  expect(saved.deletionSeconds.full).toBeGreaterThan(saved.deletionSeconds.preserve)
  await engine.forceKill()
  expect(await engine.lastSizeScan()).toEqual(saved)
  const counts = { totalFiles: 1, hexDirectories: 2 }
  expect(await engine.deletionSeconds(counts)).toEqual(saved.deletionSeconds)
  expect(readdirSync(join(folder, 'data')).filter((name) => name.startsWith('cal'))).toEqual([])
  expect(readdirSync(join(folder, 'usual'))).toHaveLength(1)
})

test('treats a folder that was replaced as another tree', async () => {
  write('usual', sliceKey('steam', '/depot/1/chunk/a', 0))
  await walk()
  roots[0] = { ...rootAt('elsewhere', 'monolithic'), datasource: 'usual' }
  expect(await walk()).toMatchObject([{ files: 0, state: 'complete' }, {}])
  expect(await engine.contents()).toEqual([])
})

/** Mounting needs privileges, and nothing but a mount makes a share that hangs. */
const probe = mountDeadShare(tempFolder('dead'))
probe?.end()

if (probe !== null) {
  test("threads blocked by a dead disk delay neither answers nor the engine's stop", async () => {
    const usual = join(folder, 'usual')
    for (let dir = 0; dir < 1024; dir++) mkdirSync(join(usual, dirName(dir)), { recursive: true })
    write('usual', sliceKey('steam', '/depot/1/chunk/a', 0))
    share = mountDeadShare(join(usual, dirName(1023)))
    const asked = walk().then(
      () => '',
      (error: unknown) => String(error),
    )
    await eventually(() => reports.length > 0, 'the first progress', 5000)
    expect(await engine.roots()).toMatchObject([{ datasource: 'usual', state: 'walking' }, {}])
    await engine.forceKill()
    expect(await asked).toContain('killed')
    expect(await engine.roots()).toMatchObject([{ datasource: 'usual' }, {}])
    share?.end()
    share = null
    expect(await walk()).toMatchObject([{ state: 'complete', files: 1 }, { state: 'complete' }])
  })
}
