import { backfillSuffix, type Lane } from '../downloads/session.ts'
import { PlainSource, type ByteSource } from './byte-source.ts'
import type { DatasourceConfig } from '../../../core/config.ts'
import type { Directory, FileFault, LogFile } from './discovery.ts'
import type { Member } from './member.ts'
import { noLines, type LineCounts } from '../lines/outcome.ts'
import { makeTag } from '../lines/line.ts'
import { keyFormatOf } from '../../cache/format/key-scheme.ts'
import type { SeriesHint } from '../lines/parse-line.ts'
import { serviceOfStem, sharedStem } from '../lines/service-name.ts'

/** A member on disk (or still open after its deletion) that may have more to read. */
export interface Reader {
  member: Member
  file: LogFile
  source: ByteSource | null
  /** Size at which reading reached the end; an incomplete last line waits for it to change. */
  exhaustedAt: number
  hasIncompleteLine: boolean
  /** No longer in the directory; read until its writer closes it. */
  isDeleted: boolean
  /**
   * Larder replaced or deleted it while it was being written, and the file of this name then had
   * this size: until that grows, the writer has not reopened its log. Null: not changed by Larder.
   */
  leftAtSize: number | null
}

/** All rotations of one log file, oldest first. */
export interface Series {
  stem: string
  hint: SeriesHint
  lane: Lane
  backfill: Lane
  readers: Reader[]
  counts: LineCounts
}

/** A datasource at run time. */
export interface Source {
  config: DatasourceConfig
  directory: Directory | null
  series: Map<string, Series>
  /** By file name, for files without a position. */
  errors: Map<string, FileFault>
  nextDiscoveryMs: number
  /** The directory's mtime at the last discovery. */
  changedMs: number
  failures: number
  /** When the folder or a live log was last warned about. */
  warnedAtMs: number
  /** What was said about older files last, and when. */
  warnedFiles: string
  filesWarnedAtMs: number
}

/** Where lines come from. */
export interface Place {
  source: Source
  series: Series
  reader: Reader
}

export function hintOf(stem: string): SeriesHint {
  if (stem === sharedStem) return { tag: null, isFallback: false }
  const service = serviceOfStem[stem] ?? null
  if (service === null) return { tag: null, isFallback: true }
  const tag = stem.replace('-access.log', '')
  const isWhole = keyFormatOf('bare_metal', tag)?.isSliced === false
  return { tag: { ...makeTag(tag, service), isOfFile: true, isWhole }, isFallback: false }
}

export const newSource = (config: DatasourceConfig): Source => ({
  config,
  directory: null,
  series: new Map(),
  errors: new Map(),
  nextDiscoveryMs: 0,
  changedMs: 0,
  failures: 0,
  warnedAtMs: -Infinity,
  warnedFiles: '',
  filesWarnedAtMs: -Infinity,
})

export const newSeries = (
  stem: string,
  datasource: string,
  lane: (name: string, datasource: string) => Lane,
): Series => ({
  stem,
  hint: hintOf(stem),
  lane: lane(`${datasource}/${stem}/follow`, datasource),
  backfill: lane(`${datasource}/${stem}${backfillSuffix}`, datasource),
  readers: [],
  counts: noLines(),
})

export function closeReader(reader: Reader): void {
  reader.source?.close()
  reader.source = null
}

/** Whether a file that is not compressed has changed its size since its end was reached. */
export function hasGrown(reader: Reader): boolean {
  const { source, member } = reader
  if (!(source instanceof PlainSource)) {
    return reader.file.size > member.offset && reader.exhaustedAt !== reader.file.size
  }
  const { size, modifiedMs } = source.stat()
  Object.assign(reader.file, { size, modifiedMs })
  return size !== reader.exhaustedAt
}

/** Unread bytes of a reader; compressed files count with their size on disk. */
export function backlogOf({ member, file, hasIncompleteLine }: Reader): number {
  if (member.state !== 'open' || hasIncompleteLine) return 0
  return file.compression === 'none' ? Math.max(0, file.size - member.offset) : file.size
}

/** Unread bytes of a source and of the skipped ranges that are wanted. */
export function backlogBytes({ series }: Source, wanted: readonly { bytes: number }[]): number {
  const unread = [...series.values()].flatMap(({ readers }) => readers.map(backlogOf))
  return wanted.reduce((sum, { bytes }) => sum + bytes, 0) + unread.reduce((a, b) => a + b, 0)
}

/**
 * Age of the oldest unread byte at the last discovery: by the time of the line before it, else
 * since it was first seen. 0 at the end; skipped ranges do not count.
 */
export function lagOf(sources: Source[], nowMs: number, firstSeenMs: number): number {
  let lagMs = 0
  for (const { series } of sources) {
    for (const { readers, lane } of series.values()) {
      if (!readers.some((reader) => backlogOf(reader) > 0)) continue
      const sinceMs = lane.lastS > 0 ? lane.lastS * 1000 : firstSeenMs
      lagMs = Math.max(lagMs, nowMs - sinceMs)
    }
  }
  return lagMs
}

/** Line counts that the next commit adds. */
export const changedCounts = (sources: Source[]) =>
  sources
    .flatMap(({ config, series }) =>
      [...series.values()].map(({ stem, counts }) => ({ datasource: config.name, stem, counts })),
    )
    .filter(({ counts }) => Object.values(counts).some((count) => count > 0))
