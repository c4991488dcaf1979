import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import { history, Traffic } from '../../src/demo/log-generator.ts'
import { Larder } from '../lab/larder.ts'
import { familyOf, memoryOf } from '../lab/processes.ts'
import { eventually } from '../lab/wait.ts'

// No client ends in 7: GoAccess cannot read lists of forwarded addresses.
const clients = Array.from({ length: 40 }, (_, index) => `192.168.${index}.${20 + (index % 5)}`)
const pollMs = 10
const memoryPollMs = 250
const importTimeoutMs = 1_800_000
/** Linux reports processor time in hundredths of a second. */
const ticksPerSecond = 100

export interface LogFile {
  path: string
  lines: number
  bytes: number
  requests: number
}

export function generateLog(root: string, linesMax: number): LogFile {
  const path = join(root, 'bench.log')
  const startAt = Math.floor(Date.now() / 1000) - 365 * 86_400
  const traffic = new Traffic({ seed: 9, startAt, clients, chunksPerDay: linesMax / 300 })
  const file = openSync(path, 'w')
  let block = ''
  let bytes = 0
  const range = { fromAt: startAt, untilAt: Number.POSITIVE_INFINITY, linesMax }
  const flush = () => {
    bytes += writeSync(file, block)
    block = ''
  }
  for (const requests of history(traffic, range)) {
    for (const request of requests) block += `${cachelogLine(request)}\n`
    if (block.length > 1 << 22) flush()
  }
  flush()
  closeSync(file)
  const { lines } = traffic.ledger
  return { path, lines, bytes, requests: traffic.ledger.all().requests }
}

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

export interface ImportTimed extends Timed {
  /** Until the last row was in Postgres too. */
  shippedSeconds: number
  processorSeconds: number
}

/** From a complete file appearing in the log directory to its last line being committed. */
export async function timeImport(file: LogFile, root: string): Promise<ImportTimed> {
  const dataPath = join(root, 'data')
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  const sources = [{ name: 'bench', logPath }]
  const larder = await Larder.start({ dataPath, cachePath: join(root, 'cache'), sources })
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  const processorBefore = processorSeconds(larder.pid)
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
  const processor = processorSeconds(larder.pid) - processorBefore
  const isShipped = async () => requests(await larder.shipped('bench')) === file.requests
  await eventually(isShipped, 'all rows are shipped', importTimeoutMs)
  const shippedSeconds = (performance.now() - startMs) / 1000
  const peakBytes = peak()
  await larder.stop()
  renameSync(join(logPath, 'access.log'), file.path)
  rmSync(dataPath, { recursive: true, force: true })
  rmSync(logPath, { recursive: true, force: true })
  return { seconds, shippedSeconds, peakBytes, processorSeconds: processor }
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

/** Processor time of the one process, without Postgres. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
