import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { logTime } from '../../../test/support/log-lines.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { matcherFor } from '../logs/changes/line-filter.ts'
import { LineSplitter } from '../logs/changes/line-splitter.ts'
import type { LogScan } from './contract.ts'
import type { LineCountsOfSource } from './count-contract.ts'
import { createLogScan } from './facade.ts'
import { hintOf } from './file-name-hints.ts'

const startS = Date.UTC(2026, 10, 20, 12) / 1000
let logs: string
let places = 0
let scan: LogScan
let made = 0
const root = tempFolder('log-count')
beforeEach(() => {
  logs = join(root, String(places++))
  mkdirSync(logs)
  scan = createLogScan(quietLog)
})
afterEach(() => scan.stop())

const lineOf = (tag: string) =>
  `[${tag}] 10.0.0.1 / - - - [${logTime(startS + made++)}] "GET /depot/4/chunk/${made} HTTP/1.1" 200 ` +
  `1048576 "-" "agent" "HIT" "host" "-"\n`
const jsonOf = (tag: string) =>
  `${JSON.stringify({ timestamp: String(startS + made++), cache_identifier: tag, remote_addr: '10.0.0.1', status: '200', bytes_sent: '5' })}\n`
const perHostLine = () =>
  `[${logTime(startS + made++)}] 10.0.0.1 GET "/depot/4/chunk/${made}" - HTTP/1.1 200 "-" ` +
  '300 1200 1000 0.01 0.01 0.01 1000 HIT host "agent" "-"\n'
const linesOf = (...tags: string[]) => tags.map(lineOf).join('')
const times = (count: number, tag: string) => linesOf(...Array.from({ length: count }, () => tag))

const put = (name: string, data: string | Uint8Array) => writeFileSync(join(logs, name), data)
const grow = (name: string, data: string) => appendFileSync(join(logs, name), data)

/** Independent count: unpacks every file and counts every line that begins with a tag. */
function independent(folder = logs): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of readdirSync(folder).filter((one) => one.startsWith('access.log'))) {
    const raw = readFileSync(join(folder, name))
    const data = name.endsWith('.gz') ? gunzipSync(raw) : raw
    const text = (name.endsWith('.zst') ? zstdDecompressSync(raw) : data).toString()
    for (const [, tag = ''] of text.matchAll(/^\[([a-z]+)\] .*\n/gm)) {
      const service = tag === 'epic' ? 'epicgames' : tag
      counts[service] = (counts[service] ?? 0) + 1
    }
  }
  return counts
}

async function count(...folders: string[]): Promise<LineCountsOfSource[]> {
  const sources = (folders.length > 0 ? folders : [logs]).map((logPath, index) => ({
    name: `source ${index}`,
    logPath,
  }))
  const counted = await scan.countLines({ sources, timeZone: 'UTC' }, new AbortController().signal)
  if (counted === null) throw new Error('it was cancelled')
  return counted
}
const one = async () => (await count())[0] as LineCountsOfSource
const services = async () => (await one()).services

test('counts lines of all rotations, plain and compressed, as often as they occur', async () => {
  put('access.log', linesOf('steam', 'riot', 'epic', 'steam'))
  put('access.log.1', times(300, 'wsus'))
  put('access.log.2.gz', gzipSync(linesOf('steam', 'blizzard')))
  put('access.log.3.zst', zstdCompressSync(times(5, 'riot')))
  put('access.log-20261101.gz', gzipSync(times(7, 'epic')))
  put('error.log', times(9, 'steam'))
  const first = await one()
  expect(first.services).toEqual({ steam: 3, riot: 6, epicgames: 8, wsus: 300, blizzard: 1 })
  expect(first.services).toEqual(independent())
  expect(first).toMatchObject({ otherLines: 0, unreadableLines: 0, leftOut: [] })
  expect(await one()).toEqual(first)
})

test('follows growth, rotation, compression and new files', async () => {
  put('access.log', times(50, 'steam'))
  expect(await services()).toEqual({ steam: 50 })
  // The unfinished line counts once it is complete.
  const whole = lineOf('riot')
  const [begun, rest] = [whole.slice(0, 30), whole.slice(30)]
  grow('access.log', times(2, 'riot') + begun)
  expect(await services()).toEqual({ steam: 50, riot: 2 })
  grow('access.log', rest)
  expect(await services()).toEqual({ steam: 50, riot: 3 })
  renameSync(join(logs, 'access.log'), join(logs, 'access.log.1'))
  put('access.log', times(4, 'wsus'))
  expect(await services()).toEqual({ steam: 50, riot: 3, wsus: 4 })
  put('access.log.1.gz', gzipSync(readFileSync(join(logs, 'access.log.1'))))
  rmSync(join(logs, 'access.log.1'))
  grow('access.log', linesOf('wsus'))
  expect(await services()).toEqual({ steam: 50, riot: 3, wsus: 5 })
  expect(await services()).toEqual(independent())
  rmSync(join(logs, 'access.log.1.gz'))
  expect(await services()).toEqual({ wsus: 5 })
})

test('skips a line beyond the length limit, even in parts', async () => {
  put('access.log', linesOf('steam') + 'x'.repeat(70_000))
  expect(await one()).toMatchObject({ services: { steam: 1 }, unreadableLines: 0 })
  grow('access.log', 'x'.repeat(200_000))
  expect(await one()).toMatchObject({ services: { steam: 1 }, unreadableLines: 0 })
  grow('access.log', `its end\n${linesOf('riot')}short\n`)
  expect(await one()).toMatchObject({ services: { steam: 1, riot: 1 }, unreadableLines: 1 })
})

test('recounts a file that was emptied or rewritten', async () => {
  put('access.log', times(40, 'steam'))
  expect(await services()).toEqual({ steam: 40 })
  copyFileSync(join(logs, 'access.log'), join(logs, 'access.log.1'))
  truncateSync(join(logs, 'access.log'))
  expect(await services()).toEqual({ steam: 40 })
  // As long as before and longer: the same inode, another beginning.
  grow('access.log', times(60, 'riot'))
  expect(await services()).toEqual({ steam: 40, riot: 60 })
  // The same beginning and another end: the text before the end is compared, too.
  const text = readFileSync(join(logs, 'access.log'), 'utf8')
  put('access.log', text.slice(0, text.indexOf('\n', 2000) + 1) + times(100, 'wsus'))
  expect(await services()).toEqual(independent())
  // Another service name of the same length in the same file, with another mtime.
  put('access.log', linesOf('riot'))
  expect(await services()).toEqual({ steam: 40, riot: 1 })
  put('access.log', linesOf('wsus'))
  utimesSync(join(logs, 'access.log'), 1_800_000_000, 1_800_000_000)
  expect(await services()).toEqual({ steam: 40, wsus: 1 })
})

test('only readable lines count for their service', async () => {
  put(
    'access.log',
    [
      lineOf('steam'),
      jsonOf('riot'),
      '\n',
      '[steam] nothing that could be read\n',
      lineOf('').replace('[] ', ''),
      perHostLine(),
      `[steam] ${'x'.repeat(70_000)}\n`,
      lineOf('10.0.0.1:8080'),
      lineOf('__proto__'),
    ].join('') + Buffer.from([0x5b, 0xff, 0x5d, 0x20]).toString('latin1'),
  )
  const answer = await one()
  expect(Object.entries(answer.services)).toContainEqual(['__proto__', 1])
  expect(answer.services['ip-address']).toBe(1)
  expect(answer.services).toMatchObject({ steam: 1, riot: 1, unknown: 1 })
  expect(answer.unreadableLines).toBe(2)
})

test('removing a service deletes all of its counted lines and no others', async () => {
  const broken = Buffer.from([0x5b, 0xff, 0xfe, 0x5d, 0x20]).toString('latin1')
  const text = [
    times(20, 'steam'),
    jsonOf('steam'),
    '[steam] torn off\n',
    lineOf('EPIC'),
    lineOf('epicgames'),
    jsonOf('epic'),
    lineOf(''),
    lineOf('[::1]:80'),
    `${broken}${lineOf('steam').slice(8)}`,
    perHostLine(),
  ].join('')
  const bytes = Buffer.from(text, 'latin1')
  put('access.log', bytes)
  const before = await services()
  expect(before).toEqual({ steam: 21, epicgames: 3, unknown: 1, localhost: 1 })
  for (const service of Object.keys(before)) {
    const kept: Uint8Array[] = []
    const splitter = new LineSplitter(
      matcherFor({ kind: 'service', service }, hintOf('access.log')),
    )
    splitter.feed(bytes, (from, to) => kept.push(bytes.subarray(from, to)))
    // Like a removal: a new file in place of the old one.
    put('access.log.new', Buffer.concat(kept))
    renameSync(join(logs, 'access.log.new'), join(logs, 'access.log'))
    const { [service]: _gone, ...others } = before
    expect(await services()).toEqual(others)
  }
})

test('a per-service file counts for its service, the fallback for none', async () => {
  put('riot-access.log', perHostLine() + perHostLine() + 'nothing\n')
  put('riot-access.log.1.gz', gzipSync(perHostLine()))
  put('steam-access.log', perHostLine())
  put('fallback-access.log', perHostLine())
  expect(await one()).toMatchObject({ services: { riot: 3, steam: 1 }, unreadableLines: 1 })
})

test('counts two datasources separately, even when they share a file', async () => {
  const other = join(root, `${places}-other`)
  mkdirSync(other)
  put('access.log', times(3, 'steam'))
  writeFileSync(join(other, 'access.log'), times(2, 'riot'))
  const [first, second, again] = await count(logs, other, logs)
  expect([first?.services, second?.services]).toEqual([{ steam: 3 }, { riot: 2 }])
  expect(again).toEqual({ ...(first as LineCountsOfSource), datasource: 'source 2' })
})

test('names what cannot be read and counts the rest', async () => {
  put('access.log', times(3, 'steam'))
  put('access.log.1.gz', gzipSync(times(5000, 'riot')).subarray(0, 3000))
  mkdirSync(join(logs, 'access.log.2'))
  const answer = await one()
  expect(answer.services['steam']).toBe(3)
  expect(answer.services['riot']).toBeLessThan(5000)
  expect(answer.leftOut.toSorted((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1))).toEqual([
    { file: 'access.log.1.gz', reason: 'damaged' },
    { file: 'access.log.2', reason: 'not_a_file' },
  ])
  expect(await one()).toEqual(answer)
  const [none] = await count(join(logs, 'nowhere'))
  expect(none).toMatchObject({ services: {}, leftOut: [{ file: null, reason: 'missing' }] })
})

/** Counts as an ordinary user: root drops its privileges once all code is loaded. */
const countAsOther = `
  const [facade, quiet, name, logPath, elsewhere] = process.argv.slice(-5)
  const { createLogScan } = await import(facade)
  const { quietLog } = await import(quiet)
  const scan = createLogScan(quietLog)
  const { signal } = new AbortController()
  const count = (path) =>
    scan.countLines({ sources: [{ name, logPath: path }], timeZone: 'UTC' }, signal)
  await count(elsewhere)
  if (process.getuid() === 0) process.setuid(65534)
  process.stdout.write(JSON.stringify(await count(logPath)))
  process.exit(0)
`

test('names a file that it may not read', async () => {
  put('access.log', times(3, 'steam'))
  put('access.log.1', times(2, 'riot'))
  chmodSync(join(logs, 'access.log.1'), 0)
  for (const path of [root, logs]) chmodSync(path, 0o755)
  const modules = ['facade.ts', '../../../test/support/quiet-log.ts']
  const paths = modules.map((path) => join(import.meta.dir, path))
  const command = [process.execPath, '-e', countAsOther, ...paths, 'a', logs, root]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  expect(JSON.parse(text)).toMatchObject([
    { services: { steam: 3 }, leftOut: [{ file: 'access.log.1', reason: 'denied' }] },
  ])
})

test('bounds an excessive number of services, losing no line', async () => {
  const made3000 = Array.from({ length: 3000 }, (_none, index) => `host${index}.test`)
  put('access.log', linesOf(...made3000) + times(9, 'steam'))
  const answer = await one()
  expect(Object.keys(answer.services)).toHaveLength(1000)
  const listed = Object.values(answer.services).reduce((sum, lines) => sum + lines, 0)
  expect(listed + answer.otherLines).toBe(3009)
})

/** Waits until a reader opens the pipe, and leaves it waiting for bytes. */
async function heldOpen(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

test('skips a file that does not answer for five minutes, and counts the others', async () => {
  scan.stop()
  const time = new ManualTime()
  const script = new URL('../../../test/support/hanging-logs.worker.ts', import.meta.url).href
  scan = createLogScan(quietLog, { clock: time, timers: time, script })
  put('access.log', times(3, 'steam'))
  put('access.log.1', times(2, 'riot'))
  const pipe = join(logs, 'access.log.1.pipe')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  const counting = one()
  const held = await heldOpen(pipe)
  await time.advance(20_000)
  const leftOut = [{ file: 'access.log.1', reason: 'no_answer' }]
  expect(await counting).toMatchObject({ services: { steam: 3 }, leftOut })
  expect(await one()).toMatchObject({ services: { steam: 3 }, leftOut })
  closeSync(held)
  rmSync(pipe)
  await time.advance(300_000)
  expect(await one()).toMatchObject({ services: { steam: 3, riot: 2 }, leftOut: [] })
})

test('ends the worker when idle, and starts it again', async () => {
  scan.stop()
  const time = new ManualTime()
  scan = createLogScan(quietLog, { clock: time, timers: time })
  put('access.log', times(3, 'steam'))
  expect(await services()).toEqual({ steam: 3 })
  expect(await services()).toEqual({ steam: 3 })
  expect(time.pending).toBe(1)
  await time.advance(20_000)
  expect(time.pending).toBe(0)
  grow('access.log', times(2, 'riot'))
  expect(await services()).toEqual({ steam: 3, riot: 2 })
  scan.stop()
  expect(time.pending).toBe(0)
})

test('a cancelled count returns nothing, and the next one continues', async () => {
  put('access.log', times(60_000, 'steam'))
  const stop = new AbortController()
  const sources = [{ name: 'a', logPath: logs }]
  const counting = scan.countLines({ sources, timeZone: 'UTC' }, stop.signal)
  stop.abort()
  expect(await counting).toBeNull()
  expect(await services()).toEqual({ steam: 60_000 })
})
