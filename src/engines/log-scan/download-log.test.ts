import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstSecond, logLine, type TestLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { missesMax, readDownload } from './download-log.ts'
import { tailBytes } from './tails.ts'

const root = tempFolder('download-log')
const start = firstSecond + 3600
const chunk = (name: string) => `/depot/731/chunk/${name}`
const own = (at: number, path: string, line: TestLine = {}) =>
  logLine({ at: start + at, client: '10.0.0.1', cache: 'MISS', path: chunk(path), ...line })
const other = (at: number, path: string, line: TestLine = {}) =>
  logLine({ at: start + at, client: '10.0.0.2', cache: 'HIT', path: chunk(path), ...line })
const ranged = (line: string, range: string) => line.replace(/"-"\n$/, `"${range}"\n`)

let folders = 0
function request(lines: readonly string[], part: { toS?: number } = {}) {
  const logPath = join(root, String(folders++))
  mkdirSync(logPath)
  writeFileSync(join(logPath, 'access.log'), lines.join(''))
  return {
    logPath,
    scheme: 'monolithic' as const,
    sliceBytes: 1_048_576,
    timeZone: 'UTC',
    startS: start,
    toS: start + 99,
    client: '10.0.0.1',
    tag: 'steam',
    titleKey: 'alpha:731',
    isPrefill: false,
    ...part,
  }
}

test('each miss has the cause that the lines before prove', async () => {
  const log = await readDownload(
    request([
      other(-900, 'gone-after-hit'),
      other(-800, 'gone-after-miss', { cache: 'MISS' }),
      other(-700, 'never-served', { status: 404 }),
      own(-600, 'another-download'),
      other(-20, 'together', { cache: 'MISS' }),
      own(0, 'first'),
      own(1, 'gone-after-hit'),
      own(2, 'gone-after-miss'),
      own(3, 'never-served'),
      own(4, 'expired', { cache: 'EXPIRED' }),
      own(5, 'bypassed', { cache: 'BYPASS' }),
      own(6, 'together'),
      own(7, 'first'),
      ranged(own(8, 'several', { status: 206 }), 'bytes=0-1,9-12'),
      own(9, 'served', { cache: 'HIT' }),
      own(10, 'failed', { status: 502 }),
      // Of others: another title, another client, after the end.
      logLine({ at: start + 11, path: '/depot/5/chunk/a', cache: 'MISS' }),
      other(12, 'a', { cache: 'MISS' }),
      own(300, 'late'),
    ]),
  )
  expect(log).toMatchObject({ hits: 1, misses: 9, failed: 1, examined: 9, readFromS: start - 900 })
  const causes = Object.fromEntries(
    log.samples.map(({ path, cause, timeS }) => [`${path.slice(17)} ${timeS - start}`, cause]),
  )
  expect(causes).toEqual({
    'first 0': 'first',
    'gone-after-hit 1': 'gone',
    'gone-after-miss 2': 'gone',
    'never-served 3': 'first',
    'expired 4': 'expired',
    'bypassed 5': 'bypassed',
    'together 6': 'together',
    'first 7': 'again',
    'several 8': 'range',
  })
  expect(Object.values(log.causes).reduce((sum, count) => sum + count, 0)).toBe(log.misses)
  expect(log.lines[0]).toBe(own(0, 'first').trimEnd())
})

test('a slice was requested before by whoever read a range that holds it', async () => {
  const sliced = (line: string, first: number, last: number) =>
    ranged(line, `bytes=${first * 1_048_576}-${(last + 1) * 1_048_576 - 1}`)
  const log = await readDownload(
    request([
      sliced(other(-900, 'big', { status: 206, cache: 'MISS' }), 0, 4),
      sliced(own(1, 'big', { status: 206 }), 3, 3),
      sliced(own(2, 'big', { status: 206 }), 5, 5),
    ]),
  )
  expect(log.samples.map(({ cause, sliceStart }) => [cause, sliceStart])).toEqual([
    ['gone', 3 * 1_048_576],
    ['first', 5 * 1_048_576],
  ])
})

test('without a line before the download, nothing is claimed', async () => {
  const log = await readDownload(request([own(0, 'a'), own(1, 'b')]))
  expect(log.causes).toEqual({ unknown: 2 })
  const none = await readDownload({ ...request([]), logPath: join(root, 'nowhere') })
  expect(none).toMatchObject({ hits: 0, misses: 0, readFromS: null, samples: [] })
  expect(none.coverage.problem).not.toBeNull()
})

test('an old download is found in a log that went on for long, and all bytes are in the points', async () => {
  const filler = (at: number) =>
    logLine({ at: start + at, client: '10.0.0.9', path: `/${'x'.repeat(1500)}` })
  const after = Array.from({ length: Math.ceil((2 * tailBytes) / 1600) }, (_, at) =>
    filler(1000 + at),
  )
  const lines = [
    other(-500, 'a'),
    ...Array.from({ length: 50 }, (_, at) =>
      own(2 * at, `a${at % 7 === 0 ? '' : at}`, { bytes: at }),
    ),
  ]
  const log = await readDownload(request([...lines, ...after]))
  expect(log.misses).toBe(50)
  expect(log.causes).toEqual({ gone: 1, again: 7, first: 42 })
  const bytes = log.points.reduce((sum, [hit, miss]) => sum + hit + miss, 0)
  expect(bytes).toBe((49 * 50) / 2)
  expect(log.coverage.linesRead).toBeLessThan(1000)
})

test('examines a bounded number of misses and says how many', async () => {
  const count = missesMax + 5
  const log = await readDownload(
    request([other(-5, 'x'), ...Array.from({ length: count }, (_, at) => own(at % 90, `c${at}`))]),
  )
  expect(log).toMatchObject({ misses: count, examined: missesMax, causes: { first: missesMax } })
  expect(log.samples.length).toBeLessThanOrEqual(20)
  expect(log.lines.length).toBeLessThanOrEqual(30)
})
