import { lstatSync } from 'node:fs'
import { readableNames } from '../../../core/lib/readable.ts'
import { join } from 'node:path'
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import type { LogFile } from '../files/discovery.ts'
import type { EngineLog } from '../ingest-config.ts'
import type { LineFilter } from './line-filter.ts'
import { unlinkLog } from './log-folder.ts'
import { refusalOf } from './refusal.ts'
import type { RemovalOutcome, RemovalProgress } from './removal-contract.ts'
import {
  RemovalCancelled,
  removeFromFile,
  type FileReport,
  type RemovalHost,
} from './remove-from-file.ts'
import { temporarySuffix } from './rewrite.ts'
import type { Source } from '../files/series.ts'

/** Retries when the log is rotated during the work. */
const maxRounds = 5
/** Waits for uncounted lines while there are more bytes of them than this. */
const nearEndBytes = 8 * 1024 * 1024
const waitMs = 100
const progressEveryMs = 250

const sourceOf = (host: RemovalHost, datasource: string): Source | undefined =>
  host.ingest.sources.find(({ config }) => config.name === datasource)

/** Lists the directory at once. Returns its files, newest last. */
export async function freshFiles(host: RemovalHost, datasource: string): Promise<LogFile[]> {
  await host.between(() => {
    const source = sourceOf(host, datasource)
    if (source !== undefined) source.nextDiscoveryMs = 0
  })
  // The discovery is part of the next batch.
  await host.between(() => {})
  return await host.between(() => [...(sourceOf(host, datasource)?.directory?.files ?? [])])
}

/**
 * Waits until all lines of the files are counted: no line is removed before. Throws when the engine
 * is not reading at the moment.
 */
async function untilCounted(host: RemovalHost, datasource: string, context: JobContext) {
  for (;;) {
    if (context.isCancelled()) throw new RemovalCancelled()
    const { state, message } = host.ingest
    if (state !== 'starting' && state !== 'reading' && state !== 'following') {
      throw new Error(`lines are removed after they were counted: ${message ?? state}`)
    }
    const source = sourceOf(host, datasource)
    if (source === undefined || state === 'following') return
    if (state === 'reading' && host.ingest.backlogBytes(source) < nearEndBytes) return
    await Bun.sleep(waitMs)
  }
}

/** Sums up the files of one removal and reports progress. */
class Tally {
  readonly outcome: RemovalOutcome = {
    filesProcessed: 0,
    filesRewritten: 0,
    filesDeleted: 0,
    linesProcessed: 0,
    linesRemoved: 0,
    bytesBefore: 0,
    bytesAfter: 0,
    isCancelled: false,
    refused: [],
  }
  totalBytes = 0
  filesTotal = 0
  readonly #context: JobContext<RemovalProgress>
  #doneBytes = 0
  readonly #isDue = pace(progressEveryMs)

  constructor(context: JobContext<RemovalProgress>) {
    this.#context = context
  }

  add(file: LogFile, report: FileReport): void {
    const { outcome } = this
    outcome.filesProcessed++
    if (report.outcome === 'rewritten') outcome.filesRewritten++
    if (report.outcome === 'deleted') outcome.filesDeleted++
    outcome.linesProcessed += report.lines
    outcome.linesRemoved += report.removedLines
    outcome.bytesBefore += report.bytesBefore
    outcome.bytesAfter += report.bytesAfter
    this.#doneBytes += file.size
    this.report(0, 0, 0)
  }

  refuse(file: LogFile, reason: string): void {
    this.outcome.refused.push({ file: file.name, reason })
    this.#doneBytes += file.size
  }

  /** `bytes` of the current file, whose size is `size`. */
  report(bytes: number, size: number, removedLines: number): void {
    if (!this.#isDue()) return
    const done = this.#doneBytes + Math.min(bytes, size)
    this.#context.progress({
      percentComplete: Math.min(99, (100 * done) / Math.max(1, this.totalBytes)),
      filesTotal: this.filesTotal,
      filesProcessed: this.outcome.filesProcessed,
      linesProcessed: this.outcome.linesProcessed,
      linesRemoved: this.outcome.linesRemoved + removedLines,
    })
  }
}

/**
 * Removes lines from all files of a datasource, oldest first. Totals do not change: a line is
 * counted before it is removed. Files that cannot be changed are listed in `refused`.
 */
export async function removeLines(
  host: RemovalHost,
  input: { datasource: string; filter: LineFilter },
  context: JobContext<RemovalProgress>,
): Promise<RemovalOutcome> {
  const { datasource, filter } = input
  const tally = new Tally(context)
  const done = new Set<string>()
  const deleted = new Set<string>()
  // A file that the proxy creates under the name of a deleted one holds only newer lines.
  const isLeft = ({ device, inode, name, size }: LogFile) =>
    size > 0 && !deleted.has(name) && !done.has(`${device}:${inode}`)
  try {
    await untilCounted(host, datasource, context)
    for (let round = 0; ; round++) {
      const files = await freshFiles(host, datasource)
      const rest = files.filter(isLeft)
      tally.totalBytes = files.reduce((sum, { size }) => sum + size, 0)
      tally.filesTotal = files.length
      for (const file of round < maxRounds ? rest : []) {
        if (context.isCancelled()) throw new RemovalCancelled()
        for (const one of await treat(host, { datasource, filter, file, context, tally })) {
          done.add(one)
        }
        if (tally.outcome.filesDeleted > deleted.size) deleted.add(file.name)
      }
      if (rest.length === 0) break
      if (round < maxRounds) continue
      for (const file of rest) tally.refuse(file, 'it was rotated or copied meanwhile')
      break
    }
  } catch (error) {
    if (!(error instanceof RemovalCancelled)) throw error
    tally.outcome.isCancelled = true
  }
  return tally.outcome
}

interface OneFile {
  datasource: string
  filter: LineFilter
  file: LogFile
  context: JobContext
  tally: Tally
}

/** Returns the files that need no further check; none when the log was rotated meanwhile. */
async function treat(host: RemovalHost, one: OneFile): Promise<string[]> {
  const { datasource, filter, file, context, tally } = one
  const identity = `${file.device}:${file.inode}`
  try {
    const report = await removeFromFile(host, {
      datasource,
      name: file.name,
      filter,
      isCancelled: () => context.isCancelled(),
      progress: (bytes, removed) => tally.report(bytes, file.size, removed),
    })
    if (report.outcome === 'moved') return []
    tally.add(file, report)
    return report.identity === null ? [identity] : [identity, report.identity]
  } catch (error) {
    const reason = refusalOf(error)
    if (reason === null) throw error
    tally.refuse(file, reason)
    return [identity]
  }
}

/** Removes unfinished new versions left by a crash. */
export function removeLeftovers(directories: readonly string[], log: EngineLog): void {
  for (const directory of directories.flatMap((path) => [path, join(path, 'http')])) {
    for (const name of readableNames(directory).filter((one) => one.endsWith(temporarySuffix))) {
      try {
        removeLeftover(join(directory, name))
        log.info('an unfinished new version of a log file was removed', { file: name })
      } catch (error) {
        log.warn('could not remove an unfinished new version of a log file', {
          file: name,
          error: String(error),
        })
      }
    }
  }
}

function removeLeftover(path: string): void {
  const { dev, ino } = lstatSync(path)
  unlinkLog(path, { device: String(dev), inode: String(ino) })
}
