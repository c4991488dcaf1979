import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  database,
  drain as readAll,
  file,
  folder,
  ingest,
  logs,
  restart,
  warnings,
  withIngest,
} from '../../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { readLogFolder, maxFiles, readName } from './discovery.ts'
import { describeSource } from '../positions.ts'

const victim = join(import.meta.dir, '../../../../test/support/victims/log-reading.ts')
const nobody = '65534'

withIngest()
afterEach(() => chmodSync(logs, 0o755))

async function drain() {
  await readAll()
  const [source] = ingest.sources
  if (source === undefined) throw new Error('no source')
  return describeSource(ingest, source)
}

const requests = () =>
  (database.query('SELECT sum(requests) AS n FROM counter').get() as { n: number | null }).n

const perHost = (path: string) =>
  `[20/Nov/2026:21:52:49 +0000] 10.0.0.1 GET "${path}" - HTTP/1.1 200 "-" 512 1049000 1048576 ` +
  `0.005 1048576 HIT cdn.example.test 200 0.004 "Valve/Steam HTTP Client 1.0"\n`

describe('names', () => {
  test.each([
    ['access.log', 'access.log', 'none'],
    ['ACCESS.log', 'access.log', 'none'],
    ['access.log.12', 'access.log', 'none'],
    ['access.log.3.gz', 'access.log', 'gzip'],
    ['access.log-20260101.zst', 'access.log', 'zstd'],
    ['access.log-2026-01-01', 'access.log', 'none'],
    ['access.log.20260101-1767225600.gz', 'access.log', 'gzip'],
    ['windows-update-access.log.1', 'windows-update-access.log', 'none'],
  ] as const)('%s is one of %s (%s)', (name, stem, compression) => {
    expect(readName(name)).toMatchObject({ stem, compression })
  })

  test.each([
    'access.log.gz',
    'access.log.bak',
    'access.log.1.tmp',
    'access.log.old',
    'stream-access.log',
    'error.log',
    'my-access.log',
  ])('%s belongs to no series', (name) => {
    expect(readName(name)).toBeNull()
  })
})

test.each([
  ['numbers', ['access.log.12.gz', 'access.log.2.gz', 'access.log.1', 'access.log']],
  ['dates', ['access.log-20251231.gz', 'access.log-20260101', 'access.log']],
  ['dates after a dot', ['access.log.20251231.gz', 'access.log.20260101', 'access.log']],
  ['dates with hyphens', ['access.log-2025-12-31.gz', 'access.log-2026-01-01', 'access.log']],
])('files with %s are sorted oldest first', (_what, names) => {
  for (const name of names.toReversed()) writeFileSync(file(name), '')
  expect(readLogFolder(logs).files.map(({ name }) => name)).toEqual(names)
})

describe('the subdirectory http', () => {
  test('is used when it alone holds files of services', async () => {
    mkdirSync(file('http'))
    writeFileSync(join(file('http'), 'steam-access.log'), perHost('/depot/441/chunk/a'))
    writeFileSync(file('error.log'), 'x\n')
    const about = await drain()
    expect(about).toMatchObject({ layout: 'bare_metal', logPath: file('http'), sourceCount: 1 })
    expect(requests()).toBe(1)
  })

  test('is not used for a lone fallback file or beside an access log', () => {
    mkdirSync(file('http'))
    writeFileSync(join(file('http'), 'fallback-access.log'), '')
    expect(readLogFolder(logs)).toMatchObject({ path: logs, problem: 'no_sources' })
    writeFileSync(join(file('http'), 'steam-access.log'), '')
    writeFileSync(file('access.log'), '')
    expect(readLogFolder(logs)).toMatchObject({ path: logs, layout: 'monolithic', problem: 'none' })
  })
})

test.each([
  ['auto', 'mixed'],
  ['monolithic', 'monolithic'],
  ['bare_metal', 'bare_metal'],
] as const)('with the scheme %s, both kinds of files are %s', async (scheme, layout) => {
  restart({ schemeOverride: scheme })
  writeFileSync(file('access.log'), logLine())
  writeFileSync(file('steam-access.log'), perHost('/depot/441/chunk/a'))
  expect(await drain()).toMatchObject({ layout, sourceCount: 2 })
  expect(requests()).toBe(2)
})

test('a gz file with several members is read completely', async () => {
  const parts = [0, 1, 2].map((part) => gzipSync(logLine({ at: firstSecond + part })))
  writeFileSync(file('access.log.1.gz'), Buffer.concat(parts))
  expect((await drain()).filesWithErrors).toEqual([])
  expect(requests()).toBe(3)
})

test('the fallback file is counted as present but not read', async () => {
  writeFileSync(file('fallback-access.log'), perHost('/a') + perHost('/b'))
  writeFileSync(file('riot-access.log'), perHost('/c'))
  expect(await drain()).toMatchObject({ skippedFallbackLines: 2, layout: 'bare_metal' })
  expect(requests()).toBe(1)
})

test('reports an unreadable directory, whoever owns it', async () => {
  writeFileSync(file('access.log'), logLine())
  const problemAndState = async () => {
    const data = tempFolder('nobody')
    chmodSync(data, 0o777)
    const isRoot = process.getuid?.() === 0
    const user = isRoot ? [nobody] : []
    const child = Bun.spawn([process.execPath, victim, data, logs, 'follow', ...user], {
      stdout: 'pipe',
    })
    const text = await new Response(child.stdout).text()
    return text.trim().split('\n').at(-1)
  }
  chmodSync(folder, 0o755)
  chmodSync(logs, 0o000)
  expect(await problemAndState()).toStartWith('permission_denied')
  chmodSync(logs, 0o755)
  chmodSync(file('access.log'), 0o000)
  expect(await problemAndState()).toBe('permission_denied following access.log')
  chmodSync(file('access.log'), 0o644)
  expect(await problemAndState()).toBe('none following')
})

describe('something else in place of a log file', () => {
  const things = {
    'a directory': (path: string) => mkdirSync(path),
    'a pipe': (path: string) => expect(Bun.spawnSync(['mkfifo', path]).success).toBe(true),
  }

  test.each(Object.entries(things))('%s as the live log is a problem', async (_, make) => {
    writeFileSync(file('access.log.1'), logLine())
    make(file('access.log'))
    const about = await drain()
    expect(about).toMatchObject({ problem: 'unreadable_file', filesWithErrors: ['access.log'] })
    expect(about.missingSourcesMessage).toContain(`mv ${file('access.log')} `)
    expect(requests()).toBe(1)
    await drain()
    expect(warnings).toEqual([about.missingSourcesMessage ?? ''])
    rmSync(file('access.log'), { recursive: true })
    writeFileSync(file('access.log'), logLine({ at: firstSecond + 9 }))
    expect(await drain()).toMatchObject({ problem: 'none', missingSourcesMessage: null })
    expect(requests()).toBe(2)
  })

  test('an older file is only named in the log, once', async () => {
    mkdirSync(file('access.log.1'))
    writeFileSync(file('access.log'), logLine())
    mkdirSync(file('fallback-access.log'))
    expect(await drain()).toMatchObject({
      problem: 'none',
      filesWithErrors: ['access.log.1', 'fallback-access.log'],
    })
    await drain()
    expect(warnings).toEqual(['older log files cannot be read'])
  })

  test('the live log of one host among others is a problem', async () => {
    writeFileSync(file('riot-access.log'), perHost('/a'))
    writeFileSync(file('steam-access.log.1'), perHost('/depot/441/chunk/a'))
    mkdirSync(file('steam-access.log'))
    const { problem, missingSourcesMessage } = await drain()
    expect(problem).toBe('unreadable_file')
    expect(missingSourcesMessage).toContain('steam-access.log cannot be read')
  })
})

describe('a folder with very many files', () => {
  const extra = 40
  const line = (index: number) => logLine({ client: `10.1.${index >> 8}.${index & 255}` })

  test('ignores other files, reads the newest logs, and reports the rest', async () => {
    for (let index = 0; index < maxFiles + extra; index++) {
      writeFileSync(file(`access.log.${index + 1}`), line(index))
      if (index % 2 === 0) writeFileSync(file(`a${index}.txt`), 'none of ours')
    }
    writeFileSync(file('access.log'), line(65_000))
    const first = await drain()
    expect(requests()).toBe(maxFiles)
    expect(first.problem).toBe('too_many_files')
    expect(first.missingSourcesMessage).toContain(String(maxFiles + extra + 1))
    expect(ingest.limits.list()).toMatchObject([{ limit: 'logFiles', value: maxFiles }])
    const isRead = (index: number) =>
      database
        .query('SELECT 1 FROM counter WHERE client = ?')
        .get(`10.1.${index >> 8}.${index & 255}`)
    expect(isRead(65_000)).not.toBeNull()
    expect(isRead(maxFiles + extra - 1)).toBeNull()
    // A rotation renames every file; one that drops out of the newest and returns counts once.
    for (let index = maxFiles + extra; index > 0; index--) {
      renameSync(file(`access.log.${index}`), file(`access.log.${index + 1}`))
    }
    renameSync(file('access.log'), file('access.log.1'))
    writeFileSync(file('access.log'), line(65_001))
    await drain()
    expect(requests()).toBe(maxFiles + 1)
    restart()
    for (let index = 1; index <= extra; index++) rmSync(file(`access.log.${index}`))
    const last = await drain()
    // Every file was among the newest at some time, and counts once.
    expect(requests()).toBe(maxFiles + extra)
    expect(last.problem).toBe('too_many_files')
    for (let index = extra + 1; index <= extra + 10; index++) rmSync(file(`access.log.${index}`))
    expect((await drain()).problem).toBe('none')
    expect(requests()).toBe(maxFiles + extra + 2)
  })
})
