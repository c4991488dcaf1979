import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import {
  begin,
  caughtUp,
  counted,
  eachInNewFolder,
  logs,
  loop,
  ofService,
  one,
  pathOf,
  remove,
  reopenMarks,
  restart,
} from '../../../../test/support/log-fixture.ts'

eachInNewFolder()

describe('one service', () => {
  test('in plain and compressed files: each is kept, rewritten or deleted', async () => {
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

  test("deletes the service's own files, but not the fallback or those of others", async () => {
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
  ])('%s: the tag %j matches: %p', async (service, tag, isMeant) => {
    const rest = one(0).slice(one(0).indexOf(' ') + 1)
    writeFileSync(pathOf('access.log'), one(1, 'riot') + tag + rest)
    begin()
    await caughtUp()
    expect((await ofService(service)).linesRemoved).toBe(isMeant ? 1 : 0)
  })

  test('an invalid tag never matches; JSON lines are matched by their tag', async () => {
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
  test('match the titles of a service', async () => {
    const other = '/depot/441/chunk/x'
    writeFileSync(pathOf('access.log'), one(0) + one(1, 'steam', other) + one(2, 'riot', other))
    begin()
    await caughtUp()
    const filter = { kind: 'titles' as const, service: 'steam', titleKeys: ['alpha:441'] }
    expect((await remove(filter)).linesRemoved).toBe(1)
    expect(readFileSync(pathOf('access.log'), 'utf8')).toBe(one(0) + one(2, 'riot', other))
  })

  test('match objects by tag and normalised path', async () => {
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

  test('match observations in every field', async () => {
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

  test('refuse too many entries', async () => {
    writeFileSync(pathOf('access.log'), one(0))
    begin()
    await caughtUp()
    const titleKeys = Array.from({ length: 500_001 }, (_, index) => `alpha:${index}`)
    const refused = remove({ kind: 'titles', service: 'steam', titleKeys })
    expect(await refused.catch(String)).toContain('at most 500000 entries')
  })
})

describe('while the proxy is writing', () => {
  test('keeps new lines, and counts those written to the old file', async () => {
    writeFileSync(pathOf('access.log'), one(0, 'riot') + one(1))
    begin()
    await caughtUp()
    const writer = openSync(pathOf('access.log'), 'a')
    writeSync(writer, one(2, 'riot') + one(3))
    const outcome = await ofService('riot')
    expect(outcome.filesRewritten).toBe(1)
    // It still has the old file open.
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

  test('reads a deleted file to its end, and its successor from its start', async () => {
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

  test('a position is moved to the end while its writer still has the deleted file', async () => {
    writeFileSync(pathOf('access.log.1'), one(0))
    writeFileSync(pathOf('access.log'), one(1))
    begin()
    await caughtUp()
    const writer = openSync(pathOf('access.log'), 'a')
    await loop.deleteLogs('main')
    expect(await loop.setPosition('main', 'end')).toBe(1)
    writeSync(writer, one(2))
    closeSync(writer)
    await caughtUp()
    // A name that was listed a moment ago.
    rmSync(pathOf('access.log.1'))
    expect(await loop.setPosition('main', 'end')).toBe(0)
    expect(counted()).toBe(7)
  })

  test('lines of deleted files are in no position', async () => {
    writeFileSync(pathOf('access.log.2'), one(0))
    writeFileSync(pathOf('access.log.1'), one(1) + one(2))
    writeFileSync(pathOf('access.log'), one(3) + one(4) + one(5))
    begin()
    await caughtUp()
    const about = async () => (await loop.positions())[0]
    expect(await about()).toMatchObject({ position: 6, totalLines: 6 })
    expect(await loop.deleteLogs('main')).toMatchObject({ filesDeleted: 1 })
    await caughtUp()
    expect(await about()).toMatchObject({
      position: 3,
      totalLines: 3,
      sourcePositions: { 'access.log': 3 },
    })
    rmSync(pathOf('access.log.2'))
    await restart()
    expect(await about()).toMatchObject({ position: 2, totalLines: 2 })
    expect(counted()).toBe(2 ** 6 - 1)
  })

  test('never counts a copy of the old version', async () => {
    writeFileSync(pathOf('access.log.1'), one(0, 'riot') + one(1) + one(2))
    copyFileSync(pathOf('access.log.1'), pathOf('access.log.3'))
    writeFileSync(pathOf('access.log'), one(3))
    begin()
    await caughtUp()
    const away = gzipSync(readFileSync(pathOf('access.log.1')))
    const outcome = await ofService('riot')
    expect(outcome).toMatchObject({ filesRewritten: 2, linesRemoved: 2, refused: [] })
    expect(readFileSync(pathOf('access.log.3'), 'utf8')).toBe(one(1) + one(2))
    // A compressor that had opened the old version finishes only now.
    writeFileSync(pathOf('access.log.1.gz'), away)
    rmSync(pathOf('access.log.1'))
    await caughtUp()
    renameSync(pathOf('access.log.1.gz'), pathOf('access.log.2.gz'))
    await restart()
    expect(counted()).toBe(2 ** 4 - 1)
  })
})
