import { Database } from 'bun:sqlite'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { Larder } from '../lab/larder.ts'
import { familyOf, memoryOf } from '../lab/processes.ts'
import { eventually } from '../support/eventually.ts'
import type { LogFile } from './logs.ts'

const pollMs = 10
const memoryPollMs = 250
const importTimeoutMs = 1_800_000
/** Linux reports processor time in hundredths of a second. */
const ticksPerSecond = 100

const goaccessFormat = '[%^] %h / %^ - %^ [%d:%t %^] "%r" %s %b "%R" "%u" "%^" "%v" "%^"'

export interface Timed {
  seconds: number
  peakBytes: number
}

/** GoAccess with all its panels over the file. */
export async function timeGoAccess(file: LogFile, root: string): Promise<Timed> {
  const startMs = performance.now()
  const child = Bun.spawn(
    [
      'goaccess',
      file.path,
      `--log-format=${goaccessFormat}`,
      '--date-format=%d/%b/%Y',
      '--time-format=%H:%M:%S',
      '--no-global-config',
      '-o',
      join(root, 'goaccess.json'),
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const peak = watchMemory(child.pid)
  const exitCode = await child.exited
  const seconds = (performance.now() - startMs) / 1000
  if (exitCode !== 0) throw new Error(`goaccess ended with ${exitCode}`)
  return { seconds, peakBytes: peak() }
}

const lineFeed = 10

function countBytes(buffer: Uint8Array, length: number): number {
  let found = 0
  for (let at = 0; at < length; at++) if (buffer[at] === lineFeed) found++
  return found
}

function countFound(chunk: Uint8Array): number {
  let found = 0
  for (let at = 0; (at = chunk.indexOf(lineFeed, at) + 1) > 0;) found++
  return found
}

/** Counts the lines of a file in one thread, byte by byte or by `indexOf`; returns processor seconds. */
export function timeLines({ path, lines }: LogFile, isByteByByte: boolean): number {
  const buffer = new Uint8Array(1024 * 1024)
  const file = openSync(path, 'r')
  const before = process.threadCpuUsage()
  let found = 0
  for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
    found += isByteByByte ? countBytes(buffer, length) : countFound(buffer.subarray(0, length))
  }
  const { user, system } = process.threadCpuUsage(before)
  closeSync(file)
  if (found !== lines) throw new Error(`${found} of ${lines} lines found`)
  return (user + system) / 1e6
}

export interface ImportTimed extends Timed {
  /** Until the last row was in Postgres too. */
  shippedSeconds: number
  /** Until committed, without Postgres. */
  processorSeconds: number
  /** Until the last row was in Postgres. */
  parts: ProcessorParts
}

/** Processor seconds. */
export interface ProcessorParts {
  /** Reads, adds up and sends: the shipper runs in it. */
  logThread: number
  /** Compiling, collecting garbage, HTTP. */
  otherThreads: number
  postgres: number
}

/** From a complete file appearing in the log directory to its last line being committed. */
export async function timeImport(file: LogFile, root: string): Promise<ImportTimed> {
  const dataPath = join(root, 'data')
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  const sources = [{ name: 'bench', logPath }]
  const larder = await Larder.start({ dataPath, cachePath: join(root, 'cache'), sources })
  let timed: ImportTimed
  try {
    timed = await timeWith(larder, file, { dataPath, logPath })
  } finally {
    await larder.stop()
  }
  renameSync(join(logPath, 'access.log'), file.path)
  rmSync(dataPath, { recursive: true, force: true })
  rmSync(logPath, { recursive: true, force: true })
  return timed
}

async function timeWith(
  larder: Larder,
  file: LogFile,
  { dataPath, logPath }: { dataPath: string; logPath: string },
): Promise<ImportTimed> {
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  const processorBefore = processorSeconds([larder.pid])
  const postgresBefore = processorSeconds(childrenOf(larder.pid))
  const threadsBefore = threadSeconds(larder.pid)
  const peak = watchMemory(larder.pid)
  const startMs = performance.now()
  renameSync(file.path, join(logPath, 'access.log'))
  const requests = (counts: Record<string, { requests: number }>) =>
    Object.values(counts).reduce((sum, it) => sum + it.requests, 0)
  while (requests(larder.committed('bench')) < file.requests) {
    if (performance.now() - startMs > importTimeoutMs) throw new Error('the import does not end')
    await Bun.sleep(pollMs)
  }
  const seconds = (performance.now() - startMs) / 1000
  const processor = processorSeconds([larder.pid]) - processorBefore
  await eventually(() => isOutboxEmpty(dataPath), 'all rows are shipped', importTimeoutMs)
  const shippedSeconds = (performance.now() - startMs) / 1000
  const threads = [...threadSeconds(larder.pid)].map(
    ([thread, used]) => used - (threadsBefore.get(thread) ?? 0),
  )
  const logThread = Math.max(...threads)
  const otherThreads = processorSeconds([larder.pid]) - processorBefore - logThread
  const postgres = processorSeconds(childrenOf(larder.pid)) - postgresBefore
  const shipped = requests(await larder.shipped('bench'))
  if (shipped !== file.requests) throw new Error(`${shipped} of ${file.requests} requests shipped`)
  const peakBytes = peak()
  return {
    seconds,
    shippedSeconds,
    peakBytes,
    processorSeconds: processor,
    parts: { logThread, otherThreads, postgres },
  }
}

/** Samples the memory of a process and its descendants; the answer ends it and tells the peak. */
export function watchMemory(pid: number): () => number {
  let peakBytes = 0
  const sample = () => (peakBytes = Math.max(peakBytes, memoryOf(familyOf(pid))))
  const timer = setInterval(sample, memoryPollMs)
  return () => {
    clearInterval(timer)
    sample()
    return peakBytes
  }
}

/** Asks the engine's own file: sums of a large history would slow down what is measured. */
function isOutboxEmpty(dataPath: string): boolean {
  using database = new Database(join(dataPath, 'hot.sqlite'), { readonly: true })
  database.run('PRAGMA busy_timeout = 10000')
  const unsent = [
    'traffic_outbox',
    'download_outbox',
    'sealed_batch',
    'open_download where revision <> queued_revision',
  ]
  return unsent.every((rows) => database.query(`select 1 from ${rows} limit 1`).get() === null)
}

const childrenOf = (pid: number) => familyOf(pid).slice(1)

/** Processor time of the processes that are running. */
export const processorSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + secondsIn(`/proc/${pid}/stat`), 0)

const threadSeconds = (pid: number): Map<string, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => [
      thread,
      secondsIn(`/proc/${pid}/task/${thread}/stat`),
    ]),
  )

function secondsIn(path: string): number {
  try {
    const stat = readFileSync(path, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    // It has ended in the meantime.
    return 0
  }
}
