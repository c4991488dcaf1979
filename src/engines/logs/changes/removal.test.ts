import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { openHot } from '../../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { EngineLoop } from '../engine-loop.ts'
import type { LineFilter } from './line-filter.ts'

let folder = ''
let logs = ''
let database: Database
let loop: EngineLoop
let reopenMarks: string[] = []

const pathOf = (name: string) => join(logs, name)
const quiet = { info: () => {}, warn: () => {} }

function begin(startAt: 'beginning' | 'end' = 'beginning'): void {
  database = openHot(folder)
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const config = {
    datasources: [source],
    ingest: { startAt, pollMs: 50, outboxMaxMb: 512 },
  }
  const events = {
    speeds: () => {},
    committed: () => {},
    reopenWanted: (mark: string) => void reopenMarks.push(mark),
  }
  loop = new EngineLoop(database, { config, log: quiet, events })
  loop.start()
}

async function end(): Promise<void> {
  await loop.stop()
  database.close()
}

async function restart(): Promise<void> {
  await end()
  begin()
  await caughtUp()
}

async function caughtUp(): Promise<void> {
  const context = { progress: () => {}, isCancelled: () => false }
  await loop.process(null, context)
  await loop.process(null, context)
}

/** Every line has a bit of its own: the sum tells which lines were counted, and how often. */
const one = (bit: number, tag = 'steam', path = `/depot/731/chunk/${bit}`) =>
  logLine({ at: firstSecond + bit, bytes: 2 ** bit, tag, path })
const counted = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number }).hit

const remove = (filter: LineFilter, isCancelled = () => false) =>
  loop.removeLines({ datasource: 'main', filter }, { progress: () => {}, isCancelled })
const ofService = (service: string) => remove({ kind: 'service', service })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'larder-removal-'))
  logs = join(folder, 'logs')
  mkdirSync(logs)
  reopenMarks = []
})

afterEach(async () => {
  await end()
  rmSync(folder, { recursive: true })
})

describe('one service', () => {
  test('in plain and compressed files; each is left alone, rewritten or deleted', async () => {
    writeFileSync(pathOf('access.log.4.gz'), gzipSync(one(0)))
    writeFileSync(pathOf('access.log.3.gz'), gzipSync(one(1, 'riot') + one(2) + one(3, 'riot')))
    writeFileSync(pathOf('access.log.2.zst'), zstdCompressSync(one(4) + one(5, 'riot')))
    writeFileSync(pathOf('access.log.1'), one(6, 'riot'))
    writeFileSync(pathOf('access.log'), one(7, 'RIOT') + 'rubbish\n' + one(8))
    chmodSync(pathOf('access.log'), 0o640)
    begin()
    await caughtUp()
    const untouched = statSync(pathOf('access.log.4.gz'))
    expect(await ofService('riot')).toMatchObject({
      filesProcessed: 5,
      filesRewritten: 3,
      filesDeleted: 1,
      linesProcessed: 10,
      linesRemoved: 5,
      isCancelled: false,
      refused: [],
    })
    expect(statSync(pathOf('access.log.4.gz')).ino).toBe(untouched.ino)
    expect(gunzipSync(readFileSync(pathOf('access.log.3.gz'))).toString()).toBe(one(2))
    expect(zstdDecompressSync(readFileSync(pathOf('access.log.2.zst'))).toString()).toBe(one(4))
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(`rubbish\n${one(8)}`)
    expect(statSync(pathOf('access.log')).mode & 0o777).toBe(0o640)
    expect(readdirSync(logs).sort()).toEqual([
      'access.log',
      'access.log.2.zst',
      'access.log.3.gz',
      'access.log.4.gz',
    ])
    appendFileSync(pathOf('access.log'), one(9))
    await restart()
    expect(counted()).toBe(2 ** 10 - 1)
  })

  test('its own files are deleted, those of others and the fallback are not', async () => {
    const line = (bit: number) =>
      `[20/Nov/2026:21:52:49 +0000] 10.0.0.1 GET "/depot/1/chunk/a" - HTTP/1.1 200 "-" 1 1 ` +
      `${2 ** bit} 0.1 1 HIT h 200 0.1 "-"\n`
    writeFileSync(pathOf('steam-access.log.1.gz'), gzipSync(line(0)))
    writeFileSync(pathOf('steam-access.log'), line(1))
    writeFileSync(pathOf('riot-access.log'), line(2))
    writeFileSync(pathOf('fallback-access.log'), line(3))
    begin()
    await caughtUp()
    const outcome = await ofService('Steam ')
    expect(outcome).toMatchObject({ filesDeleted: 2, filesRewritten: 0, linesRemoved: 2 })
    expect(readdirSync(logs).sort()).toEqual(['fallback-access.log', 'riot-access.log'])
    await restart()
    expect(counted()).toBe(7)
  })

  test.each([
    ['unknown', '[] ', true],
    ['localhost', '[127.0.0.1:80] ', true],
    ['epicgames', '[epic] ', true],
    ['steam', '[steam ] ', false],
  ])('%s is the tag %j: %p', async (service, tag, isMeant) => {
    const rest = one(0).slice(one(0).indexOf(' ') + 1)
    writeFileSync(pathOf('access.log'), one(1, 'riot') + tag + rest)
    begin()
    await caughtUp()
    expect((await ofService(service)).linesRemoved).toBe(isMeant ? 1 : 0)
  })

  test('a tag that is no text is never meant, and JSON lines are read by their tag', async () => {
    const json =
      '{"timestamp":"1795211569.672","cache_identifier":"riot","remote_addr":"10.0.0.1",' +
      '"status":"200","bytes_sent":1,"upstream_cache_status":"HIT","path":"/a"}\n'
    const odd = Buffer.concat([Buffer.from('[riot\xff] ', 'latin1'), Buffer.from(one(3).slice(8))])
    writeFileSync(pathOf('access.log'), Buffer.concat([Buffer.from(json + one(1)), odd]))
    begin()
    await caughtUp()
    expect((await ofService('riot')).linesRemoved).toBe(1)
    expect(
      readFileSync(pathOf('access.log')).equals(Buffer.concat([Buffer.from(one(1)), odd])),
    ).toBe(true)
  })
})

describe('other filters', () => {
  test('titles of a service', async () => {
    const other = '/depot/441/chunk/x'
    writeFileSync(pathOf('access.log'), one(0) + one(1, 'steam', other) + one(2, 'riot', other))
    begin()
    await caughtUp()
    const filter = { kind: 'titles' as const, service: 'steam', titleKeys: ['alpha:441'] }
    expect((await remove(filter)).linesRemoved).toBe(1)
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(one(0) + one(2, 'riot', other))
  })

  test('objects by tag and normal path, whatever was asked for exactly', async () => {
    const kept = one(0) + one(1, 'riot', '/a/b')
    writeFileSync(
      pathOf('access.log'),
      kept + one(2, 'Steam', '//a/./b?token=1') + one(3, 'steam', '/a/%62'),
    )
    begin()
    await caughtUp()
    const filter = { kind: 'objects' as const, objects: [{ tag: 'steam', path: '/a/b' }] }
    expect((await remove(filter)).linesRemoved).toBe(2)
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(kept)
  })

  test('observations in every field', async () => {
    const same = { at: firstSecond, bytes: 50, cache: 'MISS', path: '/depot/1/chunk/a' }
    const kept = [
      logLine({ ...same, bytes: 51 }),
      logLine({ ...same, cache: 'HIT' }),
      logLine({ ...same, at: firstSecond + 1 }),
      logLine({ ...same, client: '10.0.0.2' }),
      logLine({ ...same, path: '/depot/1/chunk/A' }),
      logLine({ ...same, status: 206 }),
      logLine({ ...same, tag: 'Steam' }),
      logLine({ ...same, host: 'other.example.test' }),
      logLine(same).replace('GET', 'HEAD'),
      logLine(same).replace('"-"\n', '"bytes=0-49"\n'),
    ].join('')
    writeFileSync(pathOf('access.log'), logLine(same) + kept + logLine(same))
    begin()
    await caughtUp()
    const filter = {
      kind: 'observations' as const,
      observations: [
        {
          at: firstSecond,
          client: '10.0.0.1',
          tag: 'steam',
          method: 'G',
          target: '/depot/1/chunk/a',
          status: 200,
          bytes: 50,
          cache: 'miss' as const,
          host: 'cdn.example.test',
          range: '-',
        },
      ],
    }
    expect((await remove(filter)).linesRemoved).toBe(2)
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(kept)
  })

  test('too many entries are refused', async () => {
    writeFileSync(pathOf('access.log'), one(0))
    begin()
    await caughtUp()
    const titleKeys = Array.from({ length: 500_001 }, (_, index) => `alpha:${index}`)
    const refused = remove({ kind: 'titles', service: 'steam', titleKeys })
    expect(await refused.catch(String)).toContain('at most 500000 entries')
  })
})

describe('while a proxy writes', () => {
  test('what comes in between stays, and what goes into the old file is counted', async () => {
    writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1))
    begin()
    await caughtUp()
    const writer = openSync(pathOf('access.log'), 'a')
    writeSync(writer, one(2, 'riot') + one(3))
    const outcome = await ofService('riot')
    expect(outcome.filesRewritten).toBe(1)
    // It has the old file open and does not know yet.
    writeSync(writer, one(4).slice(0, 40))
    await caughtUp()
    writeSync(writer, one(4).slice(40) + one(5, 'riot'))
    await caughtUp()
    expect(counted()).toBe(2 ** 6 - 1)
    closeSync(writer)
    appendFileSync(pathOf('access.log'), one(6))
    await restart()
    expect(counted()).toBe(2 ** 7 - 1)
    expect(reopenMarks).toHaveLength(2)
    await loop.reopened(String(reopenMarks.at(-1)))
    await restart()
    expect(reopenMarks).toHaveLength(2)
  })

  test('a deleted file is read on, and its successor from its beginning', async () => {
    writeFileSync(pathOf('access.log'), one(0, 'riot'))
    begin()
    await caughtUp()
    const writer = openSync(pathOf('access.log'), 'a')
    expect((await ofService('riot')).filesDeleted).toBe(1)
    expect(existsSync(pathOf('access.log'))).toBe(false)
    writeSync(writer, one(1))
    closeSync(writer)
    await caughtUp()
    writeFileSync(pathOf('access.log'), one(2))
    await caughtUp()
    expect(counted()).toBe(7)
  })

  test('a copy of the old version is not counted, wherever it comes from', async () => {
    writeFileSync(pathOf('access.log.1'), one(0, 'riot') + one(1) + one(2))
    copyFileSync(pathOf('access.log.1'), pathOf('access.log.3'))
    writeFileSync(pathOf('access.log'), one(3))
    begin()
    await caughtUp()
    const away = gzipSync(readFileSync(pathOf('access.log.1')))
    const outcome = await ofService('riot')
    expect(outcome).toMatchObject({ filesRewritten: 2, linesRemoved: 2, refused: [] })
    expect(readFileSync(pathOf('access.log.3'), 'utf8')).toBe(one(1) + one(2))
    // A compressor that had opened the old version ends only now.
    writeFileSync(pathOf('access.log.1.gz'), away)
    rmSync(pathOf('access.log.1'))
    await caughtUp()
    renameSync(pathOf('access.log.1.gz'), pathOf('access.log.2.gz'))
    await restart()
    expect(counted()).toBe(2 ** 4 - 1)
  })
})

test('ranges that were passed over move with their lines', async () => {
  writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1) + one(2, 'riot') + one(3))
  begin('end')
  await caughtUp()
  appendFileSync(pathOf('access.log'), one(4) + one(5, 'riot'))
  await caughtUp()
  expect((await ofService('riot')).linesRemoved).toBe(3)
  await loop.setPosition('main', 'beginning')
  await caughtUp()
  // Of what was passed over only what is still there can be counted.
  expect(counted()).toBe(2 ** 1 + 2 ** 3 + 2 ** 4 + 2 ** 5)
  const [positions] = await loop.positions()
  expect(positions).toMatchObject({ position: 3, totalLines: 3 })
})

test('long lines and an unfinished last line stay', async () => {
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

test('a file of many blocks keeps exactly the other lines', async () => {
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

describe('what is left alone', () => {
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

  test('links, and compressed files that end early', async () => {
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

  test('an unfinished new version of a run that died is taken away', async () => {
    writeFileSync(pathOf('access.log'), one(0))
    writeFileSync(pathOf('access.log.larder.tmp'), 'half a')
    begin()
    await caughtUp()
    expect(readdirSync(logs)).toEqual(['access.log'])
  })
})

/** A small disk; needs the right to mount. Null where that right is missing. */
function mountSmallDisk(path: string): (() => void) | null {
  mkdirSync(path, { recursive: true })
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=12m', 'lab', path])
  return exitCode === 0 ? () => void Bun.spawnSync(['umount', '-l', path]) : null
}

describe('on a disk of its own', () => {
  const disk = mkdtempSync(join(tmpdir(), 'larder-disk-'))
  const unmount = mountSmallDisk(disk)
  afterAll(() => {
    unmount?.()
    rmSync(disk, { recursive: true })
  })
  const text = one(0, 'riot') + one(1).repeat(30_000)

  async function removeThere() {
    logs = disk
    writeFileSync(pathOf('access.log'), text)
    begin()
    await caughtUp()
    return await ofService('riot')
  }

  // Only an administrator can make a small disk; elsewhere these cases cannot be set up.
  if (unmount === null) return
  test('without space the old version stays', async () => {
    writeFileSync(join(disk, 'other'), new Uint8Array(4 * 1024 * 1024))
    const { refused } = await removeThere()
    const reason = 'there is not enough space beside it for the new version'
    expect(refused).toEqual([{ file: 'access.log', reason }])
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(text)
    expect(readdirSync(disk).sort()).toEqual(['access.log', 'other'])
    rmSync(join(disk, 'other'))
    expect(await ofService('riot')).toMatchObject({ linesRemoved: 1, refused: [] })
  })

  test('that is read-only nothing changes', async () => {
    logs = disk
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

test('a folder that may not be written to is told as the reason', async () => {
  writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1))
  chmodSync(logs, 0o555)
  const user = process.getuid?.() === 0 ? ['65534'] : []
  // Whoever may do everything becomes somebody who may not.
  chmodSync(folder, 0o777)
  const victim = join(import.meta.dir, 'removal-victim.ts')
  const child = Bun.spawn(['bun', victim, folder, logs, 'riot', ...user], { stdout: 'pipe' })
  const output = await new Response(child.stdout).text()
  chmodSync(logs, 0o755)
  expect(output).toContain('access.log: the log directory or the file is not writable')
  begin()
})
