/**
 * `bun run bench --largest [--only platform]`: prefills of libraries with thousands of games, and of
 * a game with millions of files.
 * `bun run bench [--lines N] [--runs N] [--logs year,lan,titles]`: what the architecture promises,
 * measured side by side on this machine; with `--import` only the import of these logs. `--lines N,M`
 * also imports logs of M lines, to tell the start of an import from what each line costs.
 * `bun run bench --reads [--rounds N] [--only words] [--history years|ten] [--keep folder]`: every read of
 * clients and downloads on a year with a million downloads, on two years with two million, or on ten
 * years with ten million (`ten`); a kept folder saves filling it again.
 * `bun run bench --exports [--history ten] [--keep folder]`: exports of a million downloads of them.
 * `bun run bench --cache [--files N] [--tree folder]`: the index of a large cache; a kept tree is
 * used again. `bun run bench --prefill [--rounds N] [--only platform]`: the daemons of prefill on a
 * warm cache, beside wrk. `bun run bench --load [--minutes N]`: a LAN with a party, scans and pages at
 * once. `bun run bench --starts`: starts, and lines until they are seen. Prints Markdown tables;
 * `--write` also puts them into `docs/performance.md`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { timeCache } from './cache.ts'
import { exportRows } from './exports.ts'
import { timeGoAccess, timeImport, timeLines, type ImportTimed, type Timed } from './import.ts'
import { timeLargeProduct } from './large-product.ts'
import { timeLibraries } from './library.ts'
import { timeLive, timeStarts } from './live.ts'
import { timeLoad } from './load.ts'
import { logKinds, type LogFile, type LogKind } from './logs.ts'
import { timePrefills } from './prefill.ts'
import { histories, timeReads } from './reads.ts'
import { timeReports } from './reports.ts'
import type { SeedOptions } from '../support/seed-history.ts'
import { writeSection } from './written.ts'
import {
  median,
  megabytes,
  milliseconds,
  percentile,
  table,
  thousands,
  type Row,
} from './measure.ts'

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    lines: { type: 'string', default: '2000000' },
    runs: { type: 'string', default: '3' },
    logs: { type: 'string', default: Object.keys(logKinds).join(',') },
    import: { type: 'boolean', default: false },
    starts: { type: 'boolean', default: false },
    largest: { type: 'boolean', default: false },
    reads: { type: 'boolean', default: false },
    exports: { type: 'boolean', default: false },
    history: { type: 'string', default: 'year' },
    rounds: { type: 'string' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
    cache: { type: 'boolean', default: false },
    files: { type: 'string', default: '1000000' },
    tree: { type: 'string' },
    prefill: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
const [lines = 0, longerLines] = values.lines.split(',').map(Number)
const partNames = ['logThread', 'otherThreads', 'postgres'] as const
const root = mkdtempSync(join(tmpdir(), 'larder-bench-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
const say = (text: string) => process.stderr.write(`${text}\n`)

/** Folders of this machine do not belong into a command that others repeat. */
const command = ['bun run bench', ...process.argv.slice(2)]
  .join(' ')
  .replaceAll(/ --(?:write|(?:keep|tree)[ =]\S+)/g, '')

async function report(title: string, rows: readonly Row[]): Promise<void> {
  process.stdout.write(`${table(rows)}\n`)
  if (values.write) await writeSection({ title, command, rows })
}

async function largestRows(): Promise<Row[]> {
  const libraries = await timeLibraries(root, values.only)
  const { seconds, peakBytes } = await timeLargeProduct(root)
  return [
    ...libraries.map(({ platform, seconds: { list, sizes, run }, peakBytes: peak }) => ({
      what: `a library of 5000 games of ${platform}: peak memory; listed, sizes, downloaded`,
      measured: `${megabytes(peak)}; ${[list, sizes, run].map((one) => `${Math.round(one)} s`).join(', ')}`,
      budget: '150 MB',
    })),
    {
      what: 'prefill of 2.3 M files of Battle.net: peak memory',
      measured: `${megabytes(peakBytes)}, ${Math.round(seconds)} s`,
      budget: '150 MB',
    },
  ]
}

function chosenHistory(): SeedOptions {
  const history = new Map<string, SeedOptions>(Object.entries(histories)).get(values.history)
  if (history === undefined) throw new Error(`no history ${values.history}`)
  return history
}

async function readsRows(): Promise<Row[]> {
  const rounds = Number(values.rounds ?? 100)
  const options = { history: chosenHistory(), rounds, only: values.only, isHiding: true }
  return timeReads(values.keep ?? root, options)
}

const exportsRows = (): Promise<Row[]> => exportRows(values.keep ?? root, chosenHistory())

async function cacheRows(): Promise<Row[]> {
  const tree = values.tree ?? join(root, 'tree')
  const timed = await timeCache(root, { files: Number(values.files), tree })
  const { files, find, readsMs, peakBytes } = timed
  const scanned = ({ wallMs, processorMs }: typeof find) => {
    const times = (wallMs / find.wallMs).toFixed(2)
    const processor = (processorMs / find.processorMs).toFixed(2)
    return `${milliseconds(wallMs)}, ${times} times \`find -printf %s\`; processor ${processor} times`
  }
  const reads = `p50 ${milliseconds(median(readsMs))}, p99 ${milliseconds(percentile(readsMs, 0.99))}`
  return [
    {
      what: `first scan of ${thousands(files)} files`,
      measured: scanned(timed.first),
      budget: '2 times',
    },
    {
      what: 'opening, reading and closing each of them, one thread',
      measured: scanned(timed.heads),
      budget: '',
    },
    {
      what: 'unchanged',
      measured: scanned(timed.unchanged),
      budget: '0.1 times',
    },
    { what: 'reads during the first scan', measured: reads, budget: '50 ms' },
    { what: 'peak memory of the service', measured: megabytes(peakBytes), budget: '256 MB' },
  ]
}

async function prefillRows(): Promise<Row[]> {
  const timed = await timePrefills(root, { rounds: Number(values.rounds ?? 5), only: values.only })
  return timed.map(({ platform, daemon, wrk, processorSecondsPerGigabyte, peakBytes }) => {
    const rate = `${megabytes(median(daemon))}/s`
    const share = `${Math.round((100 * median(daemon)) / median(wrk))} % of wrk's`
    const figures = [
      wrk.length === 0 ? `${rate}; wrk is not installed` : `${rate}, ${share}`,
      `${processorSecondsPerGigabyte.toFixed(2)} processor seconds per GB`,
      megabytes(peakBytes),
    ]
    const least = platform === 'delta' || platform === 'beta' ? 90 : 80
    const budget = `${least} % of wrk's, 150 MB`
    return { what: `prefill of ${platform}, warm cache`, measured: figures.join(', '), budget }
  })
}

async function loadRows(): Promise<Row[]> {
  const loaded = await timeLoad(root, Number(values.minutes), values.tree)
  const { aloneBytes, bytes, batchMs, lines } = loaded
  const reads = `p50 ${milliseconds(median(batchMs))}, p99 ${milliseconds(percentile(batchMs, 0.99))}`
  const memory = (of: number[]) => `${megabytes(median(of))}, at most ${megabytes(Math.max(...of))}`
  return [
    {
      what: `memory of the service with its Postgres, ${thousands(lines)} lines`,
      measured: memory(bytes),
      budget: '256 MB',
    },
    { what: 'of it without Postgres', measured: memory(aloneBytes), budget: '' },
    { what: 'the overview once a second', measured: reads, budget: 'p50 20 ms' },
  ]
}

async function importRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, kind] of Object.entries(logKinds)) {
    if (values.logs.split(',').includes(name)) rows.push(...(await logRows(kind)))
  }
  return rows
}

function generateLonger(kind: Pick<LogKind, 'generate'>, linesMax: number): LogFile {
  const folder = join(root, 'longer')
  mkdirSync(folder, { recursive: true })
  return kind.generate(folder, linesMax)
}

async function logRows({ what, budget, ...kind }: LogKind): Promise<Row[]> {
  const file = kind.generate(root, lines)
  const longer = longerLines === undefined ? null : generateLonger(kind, longerLines)
  say(`${what}: ${file.lines} lines, ${megabytes(file.bytes)}`)
  const hasGoAccess = Bun.which('goaccess') !== null
  const theirs: Timed[] = []
  const ours: ImportTimed[] = []
  const ofLonger: ImportTimed[] = []
  for (let run = 1; run <= runs; run++) {
    // One after the other in every round, so that a busy machine is unfair to both.
    if (hasGoAccess) theirs.push(await timeGoAccess(file, root))
    ours.push(await timeImport(file, root))
    if (longer !== null) ofLonger.push(await timeImport(longer, root))
    say(
      `import run ${run}: ${theirs.at(-1)?.seconds.toFixed(2)} s, ${ours.at(-1)?.seconds.toFixed(2)} s`,
    )
  }
  const counted = [false, true].map((isByteByByte) => timeLines(file, isByteByByte))
  rmSync(file.path)
  if (longer !== null) rmSync(longer.path)
  const middle = (figure: (it: ImportTimed) => number) => median(ours.map(figure))
  const goAccess = median(theirs.map((it) => it.seconds))
  const peak = Math.max(...ours.map((it) => it.peakBytes))
  const rate = (per: number) => `${thousands(file.lines / per)} lines/s`
  const timed = (seconds: number) =>
    `${rate(seconds)}, ${hasGoAccess ? `${(goAccess / seconds).toFixed(1)} times GoAccess` : 'no goaccess'}`
  const row = (text: string, measured: string, limit: string): Row => ({
    what: `${what}: ${text}`,
    measured,
    budget: limit,
  })
  const constantPart = () => {
    const seconds = middle((it) => it.shippedSeconds)
    const more = median(ofLonger.map((it) => it.shippedSeconds)) - seconds
    const perLine = more / ((longer?.lines ?? 0) - file.lines)
    const constant = seconds - perLine * file.lines
    const share = `${Math.round((100 * constant) / seconds)} %`
    return `${milliseconds(1000 * constant)}, ${share}; then ${rate(perLine * file.lines)}`
  }
  return [
    row('file to committed', timed(middle((it) => it.seconds)), budget.read),
    row('file to Postgres', timed(middle((it) => it.shippedSeconds)), budget.shipped),
    row('read, per processor second', rate(middle((it) => it.processorSeconds)), budget.processor),
    row(
      'lines only counted, by `indexOf` and byte by byte, per processor second',
      counted.map(rate).join(', '),
      '',
    ),
    row(
      'processor seconds: log thread with the shipper, other threads, Postgres',
      partNames.map((part) => middle(({ parts }) => parts[part]).toFixed(2)).join(', '),
      '',
    ),
    ...(longer === null ? [] : [row('file to Postgres, the constant part', constantPart(), '')]),
    row('peak memory, Postgres included', megabytes(peak), '256 MB'),
  ]
}

async function liveRows(): Promise<Row[]> {
  const { first, api, hub } = await timeLive(root)
  const text = (list: number[]) =>
    `p50 ${milliseconds(median(list))}, p99 ${milliseconds(percentile(list, 0.99))}`
  return [
    { what: 'line written to /api/Speeds/current', measured: text(api), budget: '1000 ms' },
    { what: 'line written to the live channel', measured: text(hub), budget: '1000 ms' },
    { what: 'first line of an empty log', measured: milliseconds(first), budget: '' },
  ]
}

async function startRows(): Promise<Row[]> {
  const { first, later } = await timeStarts(root, 15)
  return [
    { what: 'first start to /health', measured: milliseconds(first), budget: '4000 ms' },
    { what: 'later start to /health', measured: milliseconds(median(later)), budget: '500 ms' },
  ]
}

async function reportRows(file: LogFile): Promise<Row[]> {
  const { firstBatch, whileImporting, importingShare } = await timeReports(root, file)
  const share = `${Math.round(importingShare * 100)} % of them during an import`
  const p99 = milliseconds(percentile(whileImporting, 0.99))
  const p50 = milliseconds(median(whileImporting))
  return [
    {
      what: 'first /api/dashboard/batch, 1 M downloads',
      measured: milliseconds(firstBatch),
      budget: '100 ms',
    },
    { what: `reads, ${share}`, measured: `p50 ${p50}, p99 ${p99}`, budget: '50 ms' },
  ]
}

const startAndLiveRows = async () => [...(await startRows()), ...(await liveRows())]

const chosen = [
  { isChosen: values.starts, title: 'Start and live figures', rows: startAndLiveRows },
  { isChosen: values.import, title: 'Import', rows: importRows },
  { isChosen: values.largest, title: 'Large libraries and games', rows: largestRows },
  { isChosen: values.reads, title: `Reads, history of ${values.history}`, rows: readsRows },
  { isChosen: values.exports, title: `Exports, history of ${values.history}`, rows: exportsRows },
  { isChosen: values.cache, title: 'Index of the cache', rows: cacheRows },
  { isChosen: values.load, title: 'Everything at once', rows: loadRows },
  { isChosen: values.prefill, title: 'Prefill beside wrk', rows: prefillRows },
].filter(({ isChosen }) => isChosen)
for (const { title, rows } of chosen) await report(title, await rows())
if (chosen.length > 0) process.exit(0)

await report('Start and live figures', await startAndLiveRows())
await report('Prefill beside wrk', await prefillRows())
await report('Import', await importRows())
await report('Reports beside an import', await reportRows(logKinds.year.generate(root, lines)))
await report('Large libraries and games', await largestRows())
