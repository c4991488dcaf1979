import { basename, join } from 'node:path'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import { inspect } from '../cache/corruption/structural-evidence.ts'
import { digestOf, pathOfDigest } from '../cache/format/key.ts'
import { canonicalPath, listTree, TreeProblem } from '../cache/index/tree.ts'
import type { LogFile } from '../logs/files/discovery.ts'
import type {
  JudgedFile,
  LogScanOutcome,
  LogScanProgress,
  LogScanRequest,
  Miss,
  RepeatedMiss,
} from './contract.ts'
import { MissGatherer, type GroupFacts } from './gather.ts'
import { hintOf } from './file-name-hints.ts'
import { checkSource, LogsUnreadable, membersSince, openMember, unreadable } from './members.ts'
import { readLines } from './read-lines.ts'
import { keysOfPart } from '../cache/format/key-scheme.ts'
import type { Found } from './windows.ts'

const reportEveryMs = 250
const readingPercent = 90
/** Usual compression ratio of logs; for progress only. */
const usualRatio = 12
/** A file must be older than the misses by this, in seconds. */
const storedBeforeSeconds = 5
/** The log has the end of a request. It began before by what this many bytes a second need. */
const slowestBytesPerSecond = 262_144

/** Progress over all files by their size on disk. */
class Meter {
  readonly #context: JobContext<LogScanProgress>
  readonly #files: readonly LogFile[]
  readonly #total: number
  #done = 0
  readonly #isDue = pace(reportEveryMs)
  filesRead = 0

  constructor(context: JobContext<LogScanProgress>, files: readonly LogFile[]) {
    this.#context = context
    this.#files = files
    this.#total = files.reduce((sum, { size }) => sum + size, 0)
  }

  report(file: LogFile, readBytes: number, gatherer: MissGatherer): void {
    if (!this.#isDue()) return
    const raw = file.compression === 'none' ? readBytes : readBytes / usualRatio
    this.#send('reading', (this.#done + Math.min(raw, file.size)) / this.#total, gatherer)
  }

  finished(file: LogFile): void {
    this.#done += file.size
    this.filesRead++
  }

  analysing(gatherer: MissGatherer): void {
    this.#send('analysing', 1, gatherer)
  }

  #send(stage: LogScanProgress['stage'], share: number, gatherer: MissGatherer): void {
    const percent = Number.isFinite(share) ? Math.min(share, 1) * readingPercent : 0
    const report: LogScanProgress = {
      percentComplete: stage === 'analysing' ? readingPercent + 5 : percent,
      stage,
      filesRead: this.filesRead,
      filesTotal: this.#files.length,
      linesRead: gatherer.linesRead,
      suspects: gatherer.windows.found.size,
    }
    this.#context.progress(report)
  }
}

/** Reads a datasource's logs and returns the repeatedly missed cache files. */
export async function scanLogs(
  request: LogScanRequest,
  context: JobContext<LogScanProgress>,
  maxGroups?: number,
): Promise<LogScanOutcome> {
  const gatherer = new MissGatherer(request, maxGroups)
  let meter = new Meter(context, [])
  const outcome = (state: LogScanOutcome['state'], problem: string | null): LogScanOutcome => ({
    state,
    problem,
    candidates: [],
    filesRead: meter.filesRead,
    linesRead: gatherer.linesRead,
    unsupportedRanges: gatherer.unsupportedRanges,
    lateLines: gatherer.windows.lateLines,
    groupsDropped: gatherer.windows.groupsDropped,
  })
  try {
    const files = await membersSince(request.logPath, request.fromS)
    meter = new Meter(context, files)
    for (const file of files) {
      if (!(await readMember(file, { request, context, gatherer, meter }))) {
        return outcome('cancelled', null)
      }
      meter.finished(file)
    }
    meter.analysing(gatherer)
    const candidates = await candidatesOf(request, gatherer.windows.found, context)
    if (candidates === null) return outcome('cancelled', null)
    return { ...outcome('complete', null), candidates }
  } catch (error) {
    if (error instanceof LogsUnreadable) return outcome('failed', error.message)
    throw error
  }
}

interface Reading {
  request: LogScanRequest
  context: JobContext<LogScanProgress>
  gatherer: MissGatherer
  meter: Meter
}

async function readMember(file: LogFile, reading: Reading): Promise<boolean> {
  const { request, context, gatherer, meter } = reading
  const hint = hintOf(file.stem)
  const source = openMember(file, request.logPath)
  try {
    const toByte = file.compression === 'none' ? file.size : Number.MAX_SAFE_INTEGER
    const { isWhole } = await readLines(source, {
      toByte,
      line: (buffer, span) => gatherer.take(hint, buffer, span),
      goesOn(readBytes) {
        meter.report(file, readBytes, gatherer)
        return !context.isCancelled()
      },
    })
    checkSource(source, file.name)
    return isWhole
  } catch (error) {
    const isOfDisk = error instanceof LogsUnreadable || (error as { code?: string }).code != null
    throw isOfDisk ? unreadable(file.name, error) : error
  } finally {
    source.close()
  }
}

/** Folder of the hash directories. Throws LogsUnreadable. */
function treePath(cachePath: string): string {
  try {
    return listTree(canonicalPath(cachePath)).path
  } catch (error) {
    throw error instanceof TreeProblem ? new LogsUnreadable(error.message) : error
  }
}

/** Those whose cache file was there before they were missed; null when cancelled. */
async function candidatesOf(
  request: LogScanRequest,
  found: ReadonlyMap<string, Found<GroupFacts, Miss>>,
  context: JobContext<LogScanProgress>,
): Promise<RepeatedMiss[] | null> {
  const candidates: RepeatedMiss[] = []
  const root = treePath(request.cachePath)
  for (const { facts, seen } of found.values()) {
    const stored: (JudgedFile & { isNoSlice: boolean })[] = []
    const keys = keysOfPart(facts.keyFormat, facts.path, facts.slice, request.sliceBytes)
    for (const { key, isNoSlice } of keys) {
      if (context.isCancelled()) return null
      const file = await unusedFile(join(root, pathOfDigest(digestOf(key))), seen)
      if (file !== null) stored.push({ ...file, isNoSlice })
    }
    const [first] = stored
    if (first === undefined) continue
    candidates.push({
      tag: facts.tag.text,
      service: facts.tag.service,
      normalizedUri: facts.path,
      observedRange: facts.range,
      cacheSlice: sliceOf(facts, first.isNoSlice, request.sliceBytes),
      files: stored.map(({ path, print }) => ({ path, print })),
      misses: seen,
    })
  }
  return candidates
}

const sliceOf = (
  { slice }: GroupFacts,
  isNoSlice: boolean,
  sliceBytes: number,
): RepeatedMiss['cacheSlice'] => {
  if (slice.kind === 'slice') {
    return { kind: 'ranged', start: slice.start, end: slice.start + sliceBytes - 1 }
  }
  return { kind: isNoSlice ? 'noslice' : 'no_range' }
}

/**
 * A cache file that was there during all of the misses. Null: it is gone, or a miss stored it, so
 * nothing shows that it is damaged. With `Vary`, misses of one kind of request say nothing about the
 * file of another.
 */
async function unusedFile(path: string, misses: readonly Miss[]): Promise<JudgedFile | null> {
  const now = await inspect(path)
  if (now.kind === 'skipped' && now.reason === 'io_error') {
    throw new LogsUnreadable(`the cache cannot be read: ${basename(path)}`)
  }
  if (now.kind !== 'read' || now.head.hasVary) return null
  const begun = misses.map(({ line }) => line.at - line.bytes / slowestBytesPerSecond)
  const isOlder = now.modifiedMs / 1000 + storedBeforeSeconds < Math.min(...begun)
  return isOlder ? { path, print: now.print } : null
}
