import { afterAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import {
  begin,
  caughtUp,
  counted,
  eachInNewFolder,
  folder,
  logs,
  loop,
  moveTo,
  ofService,
  one,
  pathOf,
  remove,
  restart,
} from '../../../../test/support/log-fixture.ts'

eachInNewFolder()

test('skipped ranges move with their lines', async () => {
  writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1) + one(2, 'riot') + one(3))
  begin('end')
  await caughtUp()
  appendFileSync(pathOf('access.log'), one(4) + one(5, 'riot'))
  await caughtUp()
  expect((await ofService('riot')).linesRemoved).toBe(3)
  await loop.setPosition('main', 'beginning')
  await caughtUp()
  // Only skipped lines that still exist can be counted.
  expect(counted()).toBe(2 ** 1 + 2 ** 3 + 2 ** 4 + 2 ** 5)
  const [positions] = await loop.positions()
  expect(positions).toMatchObject({ position: 3, totalLines: 3 })
})

test('keeps long lines and an unfinished last line', async () => {
  const long = `[riot] ${'x'.repeat(100_000)}\n`
  const text = one(0, 'riot') + long + one(1)
  writeFileSync(pathOf('access.log'), `${text}[riot] unfin`)
  begin()
  await caughtUp()
  expect((await ofService('riot')).linesRemoved).toBe(1)
  appendFileSync(pathOf('access.log'), one(2))
  await caughtUp()
  expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(long + one(1) + one(2))
  expect(counted()).toBe(7)
})

test('keeps exactly the other lines of a file with many blocks', async () => {
  let text = ''
  let kept = ''
  for (let index = 0; index < 30_000; index++) {
    const tag = index % 3 === 0 ? 'riot' : 'steam'
    const line = logLine({ at: firstSecond + index, bytes: index, tag, path: `/depot/1/${index}` })
    text += line
    if (tag === 'steam') kept += line
  }
  writeFileSync(pathOf('access.log.1.zst'), zstdCompressSync(text))
  writeFileSync(pathOf('access.log'), `${one(0, 'sony')}${text}`)
  begin()
  await caughtUp()
  const before = counted()
  expect((await ofService('riot')).linesRemoved).toBe(20_000)
  expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(one(0, 'sony') + kept)
  expect(zstdDecompressSync(readFileSync(pathOf('access.log.1.zst'))).toString()).toBe(kept)
  await restart()
  expect(counted()).toBe(before)
})

describe('what is left unchanged', () => {
  test('a cancelled removal leaves whole files', async () => {
    writeFileSync(pathOf('access.log.1'), one(0, 'riot') + one(1))
    writeFileSync(pathOf('access.log'), one(2, 'riot') + one(3))
    begin()
    await caughtUp()
    let asked = 0
    const outcome = await remove({ kind: 'service', service: 'riot' }, () => ++asked > 4)
    expect(outcome.isCancelled).toBe(true)
    expect(outcome.filesRewritten).toBeLessThan(2)
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(one(2, 'riot') + one(3))
    expect(readdirSync(logs).filter((name) => name.includes('.tmp'))).toEqual([])
  })

  test('links, and truncated compressed files', async () => {
    writeFileSync(join(folder, 'elsewhere'), one(0, 'riot') + one(1))
    symlinkSync(join(folder, 'elsewhere'), pathOf('access.log'))
    const packed = gzipSync(Buffer.from((one(2, 'riot') + one(3)).repeat(3000)), { level: 0 })
    const broken = packed.subarray(0, packed.length / 2)
    writeFileSync(pathOf('access.log.1.gz'), broken)
    begin()
    await caughtUp()
    const { refused, filesRewritten } = await ofService('riot')
    expect(filesRewritten).toBe(0)
    expect(refused).toEqual([
      { file: 'access.log.1.gz', reason: 'it cannot be read to its end' },
      { file: 'access.log', reason: 'it is a symbolic link' },
    ])
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe(one(0, 'riot') + one(1))
    expect(readFileSync(pathOf('access.log.1.gz')).equals(broken)).toBe(true)
  })

  test('removes the unfinished new version of a dead run', async () => {
    writeFileSync(pathOf('access.log'), one(0))
    writeFileSync(pathOf('access.log.larder.tmp'), 'half a')
    begin()
    await caughtUp()
    expect(readdirSync(logs)).toEqual(['access.log'])
  })
})

/** Mounts a small disk. Null without the permission to mount. */
function mountSmallDisk(path: string): (() => void) | null {
  mkdirSync(path, { recursive: true })
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=12m', 'lab', path])
  return exitCode === 0 ? () => void Bun.spawnSync(['umount', '-l', path]) : null
}

describe('on a separate disk', () => {
  const disk = tempFolder('disk')
  const unmount = mountSmallDisk(disk)
  afterAll(() => {
    unmount?.()
  })
  const text = one(0, 'riot') + one(1).repeat(30_000)

  async function removeThere() {
    moveTo(disk)
    writeFileSync(pathOf('access.log'), text)
    begin()
    await caughtUp()
    return await ofService('riot')
  }

  // Mounting a disk requires root; elsewhere these cases cannot be set up.
  if (unmount === null) return
  test('a full disk: the old version stays', async () => {
    writeFileSync(join(disk, 'other'), new Uint8Array(4 * 1024 * 1024))
    const { refused } = await removeThere()
    const reason = 'there is not enough space beside it for the new version'
    expect(refused).toEqual([{ file: 'access.log', reason }])
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(text)
    expect(readdirSync(disk).sort()).toEqual(['access.log', 'other'])
    rmSync(join(disk, 'other'))
    expect(await ofService('riot')).toMatchObject({ linesRemoved: 1, refused: [] })
  })

  test('a read-only disk: nothing changes', async () => {
    moveTo(disk)
    writeFileSync(pathOf('access.log'), text)
    expect(Bun.spawnSync(['mount', '-o', 'remount,ro', disk]).exitCode).toBe(0)
    begin()
    await caughtUp()
    const { refused } = await ofService('riot')
    expect(refused).toEqual([
      { file: 'access.log', reason: 'the log directory is mounted read-only' },
    ])
  })
})

test('gives the reason for a folder without write permission', async () => {
  writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1))
  chmodSync(logs, 0o555)
  const user = process.getuid?.() === 0 ? ['65534'] : []
  // Root drops its privileges.
  chmodSync(folder, 0o777)
  const victim = join(import.meta.dir, '../../../../test/support/victims/log-removal.ts')
  const child = Bun.spawn([process.execPath, victim, folder, logs, 'riot', ...user], {
    stdout: 'pipe',
  })
  const output = await new Response(child.stdout).text()
  chmodSync(logs, 0o755)
  expect(output).toContain('access.log: the log directory or the file is not writable')
  begin()
})
