import type { SourcePositions } from './wire.ts'
import { lineCountNames, noLines, type LineCounts } from './lines/outcome.ts'
import { unreadableOf, type RunNotes, type TerminalStatus } from './runs.ts'
import { backlogOf, type Source } from './files/series.ts'
import { maxFiles } from './files/discovery.ts'
import { liveFault } from './files/file-faults.ts'
import type { Member } from './files/member.ts'
import type { LogStore } from './store.ts'
import type { Tracker } from './files/tracker.ts'

/** The state from which positions are described. */
interface IngestState {
  readonly store: LogStore
  readonly tracker: Tracker
  readonly runs: RunNotes
  backlogBytes(source: Source): number
}

/** Estimate for unread lines. */
const bytesPerLine = 220

function countsOf(ingest: IngestState, source: Source): LineCounts {
  const total = noLines()
  for (const row of ingest.store.lineCounts()) {
    if (row.datasource !== source.config.name) continue
    for (const name of lineCountNames) total[name] += row[name]
  }
  return total
}

/** Lines of a datasource without a known request format, over all time. */
export const unreadableLinesOf = (ingest: IngestState, source: Source): number =>
  unreadableOf(countsOf(ingest, source))

/** Members with a file, also before the folder is listed for the first time. */
function presentMembers({ tracker }: IngestState, { config, directory, series }: Source): Member[] {
  if (directory === null) {
    return tracker.members.filter(
      ({ datasource, state }) => datasource === config.name && state !== 'gone',
    )
  }
  const readers = [...series.values()].flatMap((one) => one.readers)
  return readers.filter(({ isDeleted }) => !isDeleted).map(({ member }) => member)
}

/** Lines before the position per series, both read and skipped, of the files that there are. */
function linesByStem(ingest: IngestState, source: Source): Record<string, number> {
  const { skipped } = ingest.tracker
  const lines: Record<string, number> = {}
  for (const stem of source.series.keys()) lines[stem] = 0
  for (const member of presentMembers(ingest, source)) {
    const passed = skipped
      .filter((range) => range.memberId === member.id && !range.isWanted)
      .reduce((sum, range) => sum + range.lines, 0)
    lines[member.stem] = (lines[member.stem] ?? 0) + member.lines + passed
  }
  return lines
}

/** As configured, else derived from the file names. */
function layoutOf({ config, directory }: Source): SourcePositions['layout'] {
  if (config.schemeOverride !== 'auto') return config.schemeOverride
  return directory?.layout ?? 'monolithic'
}

/** Why a datasource is not read completely. With too many files, the newest ones are still read. */
function problemOf(source: Source): {
  problem: SourcePositions['problem']
  missingSourcesMessage: string | null
} {
  const { directory } = source
  const { problem = 'none', message = null, path = '', filesOverLimit = 0 } = directory ?? {}
  const fault = problem === 'none' || problem === 'unreadable_file' ? liveFault(source) : null
  if (fault !== null) return { problem: fault.problem, missingSourcesMessage: fault.message }
  if (problem !== 'none' || filesOverLimit === 0) return { problem, missingSourcesMessage: message }
  const text = `${path} holds ${maxFiles + filesOverLimit} log files; the newest ${maxFiles} are read`
  return { problem: 'too_many_files', missingSourcesMessage: text }
}

/** State of one datasource; cheap, reads no file. */
export function describeSource(ingest: IngestState, source: Source): SourcePositions {
  const { config, directory, series, errors } = source
  const readers = [...series.values()].flatMap((one) => one.readers)
  const counts = countsOf(ingest, source)
  const sourcePositions = linesByStem(ingest, source)
  const position = Object.values(sourcePositions).reduce((sum, lines) => sum + lines, 0)
  const backlogBytes = ingest.backlogBytes(source)
  const members = readers.filter(({ member }) => member.error !== null)
  const filesWithErrors = [...new Set([...errors.keys(), ...members.map((one) => one.file.name)])]
  const isBehind = readers.some((reader) => backlogOf(reader) > 0)
  return {
    datasource: config.name,
    position,
    totalLines: position + Math.round(backlogBytes / bytesPerLine),
    totalLinesPartial: isBehind || backlogBytes > 0,
    logPath: directory?.path ?? config.logPath,
    enabled: true,
    layout: layoutOf(source),
    sourceCount: series.size,
    sourcePositions,
    unparsedLines: counts.unparsedLines,
    hintlessHttpDetailedLines: counts.hintlessHttpDetailedLines,
    invalidEncodingLines: counts.invalidEncodingLines,
    skippedFallbackLines: counts.skippedFallbackLines,
    overlongLines: counts.overlongLines,
    ignoredLines: counts.ignoredLines,
    impossibleTimeLines: counts.impossibleTimeLines,
    impossibleCountLines: counts.impossibleCountLines,
    incompleteFinalRecords: readers.filter((reader) => reader.hasIncompleteLine).length,
    filesWithErrors,
    lastRunTerminalStatus: ingest.runs.of(config.name),
    ...problemOf(source),
    backlogBytes,
  }
}

/** Records how a run over this datasource ended; without a status, it was completed. */
export function noteRun(
  ingest: IngestState,
  source: Source,
  status?: TerminalStatus,
): TerminalStatus {
  const { name } = source.config
  const unreadableLines = unreadableLinesOf(ingest, source)
  const hasErrors = describeSource(ingest, source).filesWithErrors.length > 0
  const hasFiles = ingest.tracker.members.some(({ datasource }) => datasource === name)
  if (status === undefined && !hasFiles) return ''
  const ended = status ?? ingest.runs.ending(name, { hasErrors, unreadableLines })
  ingest.runs.remember(name, ended, unreadableLines)
  return ended
}

/**
 * Moves the position of one datasource. `end` skips the unread rest and records the ranges;
 * `beginning` reopens every recorded range. Bytes that were read are never read again, so moving a
 * position cannot count anything twice. Call between two batches.
 */
export function movePosition(ingest: IngestState, source: Source, to: 'beginning' | 'end'): number {
  const { tracker, store } = ingest
  const ids = new Set(
    tracker.members.filter((one) => one.datasource === source.config.name).map(({ id }) => id),
  )
  for (const range of tracker.skipped) {
    if (!ids.has(range.memberId)) continue
    range.isWanted = to === 'beginning'
    store.saveSkipped(range)
  }
  if (to === 'beginning') return 0
  for (const series of source.series.values()) {
    for (const { member, file, isDeleted } of series.readers) {
      // Its name is that of another file or of none; what its writer still adds is read.
      if (isDeleted) continue
      tracker.skipToEnd(member, file)
      store.saveMember(member)
    }
  }
  return describeSource(ingest, source).position
}
