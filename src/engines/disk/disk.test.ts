import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { sliceKey, writeCacheFile } from '../../demo/cache-generator.ts'
import { createDiskEngine, type DiskEngine } from './facade.ts'
import { sampleKeys } from './key-sample.ts'
import { kindOf, mountOf, spaceOf } from './space.ts'

let root: string
let engine: DiskEngine | null = null

beforeEach(() => void (root = tempFolder('disk')))
afterEach(() => {
  engine?.stop()
  engine = null
})

describe('mounts', () => {
  const table = [
    '/dev/sda1 / ext4 rw 0 0',
    'nas:/cache /srv/my\\040cache nfs4 rw 0 0',
    '/dev/sdb1 /srv/my\\040cache/deep xfs rw 0 0',
    'tmpfs /srv/my\\040cache/deep tmpfs rw 0 0',
  ].join('\n')

  test.each([
    ['/srv/my cache/x', '/srv/my cache', 'nas:/cache'],
    ['/srv/my cache', '/srv/my cache', 'nas:/cache'],
    ['/srv/my cached', '/', '/dev/sda1'],
    ['/srv/my cache/deep/x', '/srv/my cache/deep', 'tmpfs'],
    ['/', '/', '/dev/sda1'],
  ])('%s is on %s', (path, mountPoint, device) => {
    expect(mountOf(table, path)).toEqual({ mountPoint, device })
  })

  test('maps numbers to kinds, signed or not', () => {
    expect(kindOf(0x6969)).toBe('nfs')
    expect(kindOf(0xff534d42 | 0)).toBe('cifs')
    expect(kindOf(0xef53)).toBe('local')
    expect(kindOf(0x65735546)).toBe('other')
  })
})

describe('a folder', () => {
  test('reports whether it exists, is missing or is a file', () => {
    const space = spaceOf(root)
    expect(space).toMatchObject({ problem: 'none', isEmpty: true })
    expect(root.startsWith(space.mountPoint)).toBe(true)
    expect(space.capacityBytes).toBeGreaterThan(space.freeBytes)
    expect(spaceOf(join(root, 'none')).problem).toBe('missing')
  })
})

describe('keys of a cache', () => {
  const put = (key: string) =>
    writeCacheFile(root, { key, body: new Uint8Array(2), storedAt: 1_800_000_000 })

  test('reveal the slice size', () => {
    for (let slice = 0; slice < 40; slice++) put(sliceKey('steam', '/a', slice, 10_485_760))
    const sample = sampleKeys(root)
    expect(sample.slices).toHaveLength(1)
    expect(sample.slices[0]?.[0]).toBe(10_485_760)
    expect(sample.slices[0]?.[1]).toBe(sample.filesRead)
    expect(sample.filesRead).toBeGreaterThanOrEqual(8)
  })

  test('show whole objects and the fallback', () => {
    put('steam/a')
    put('steam/b::noslice')
    expect(sampleKeys(root)).toMatchObject({ filesRead: 2, slices: [], wholeFiles: 1 })
  })

  test('samples at most 64 files in 64 folders, whatever else is there', () => {
    for (let slice = 0; slice < 1500; slice++) put(sliceKey('steam', '/a', slice))
    const sample = sampleKeys(root)
    expect(sample.filesRead).toBeLessThanOrEqual(64)
    expect(sample.directoriesRead).toBeLessThanOrEqual(64)
    expect(sample.filesRead).toBeGreaterThan(30)
  })

  test('ignores foreign files, links and damaged headers', () => {
    const path = put(sliceKey('steam', '/a', 0))
    writeFileSync(path, 'damaged')
    mkdirSync(join(root, 'ab/cd'), { recursive: true })
    symlinkSync('/etc/passwd', join(root, 'ab/cd', '0'.repeat(32)))
    writeFileSync(join(root, 'ab/cd', `${'1'.repeat(32)}.0000000031`), '')
    expect(sampleKeys(root)).toMatchObject({ slices: [], wholeFiles: 0 })
    expect(sampleKeys(join(root, 'none'))).toMatchObject({ filesRead: 0 })
  })
})

describe('a file system that does not answer', () => {
  test('fails only its own query; others are answered, and it is queried again later', async () => {
    const time = new ManualTime()
    engine = createDiskEngine({ log: quietLog, clock: time, timers: time, script: hanging })
    const pipe = join(root, 'share')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    const stuck = engine.ask('space', pipe)
    const other = engine.ask('space', root)
    await time.advance(2000)
    expect(await stuck).toBeNull()
    expect(await other).toMatchObject({ problem: 'none' })
    expect(await engine.ask('space', pipe)).toBeNull()
    expect(time.pending).toBe(0)
    rmSync(pipe)
    await time.advance(30_000)
    expect(await engine.ask('space', pipe)).toMatchObject({ problem: 'missing' })
  })
})

const hanging = new URL('../../../test/support/hanging-disk.worker.ts', import.meta.url).href
