import type { Lane } from '../downloads/session.ts'
import type { ByteSource } from './byte-source.ts'
import type { DatasourceConfig } from '../../../core/config.ts'
import type { Directory, LogFile } from './discovery.ts'
import type { Member } from './member.ts'
import { noLines, type LineCounts } from '../lines/outcome.ts'
import { makeTag } from '../lines/line.ts'
import type { SeriesHint } from '../lines/parse-line.ts'
import { serviceOfStem, sharedStem } from '../lines/service-name.ts'

/** A member that is on disk (or still open after its deletion) and may have more to read. */
export interface Reader {
  member: Member
  file: LogFile
  source: ByteSource | null
  /** Size at which nothing more could be read; an incomplete last line waits for it to change. */
  exhaustedAt: number
  hasIncompleteLine: boolean
  /** No longer in the directory; read on until its writer lets go. */
  isDeleted: boolean
  /**
   * We took it away from under its writer, and the file of this name had this size then: until
   * that grows the writer has not reopened its log. Null: somebody else took it away.
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
  /** Error by file name, for files that carry no position. */
  errors: Map<string, string>
  nextLookMs: number
  /** Change time of the directory when it was looked at. */
  changedMs: number
  failures: number
  complainedAtMs: number
}

export function hintOf(stem: string): SeriesHint {
  if (stem === sharedStem) return { tag: null, isFallback: false }
  const service = serviceOfStem[stem] ?? null
  if (service === null) return { tag: null, isFallback: true }
  const tag = stem.replace('-access.log', '')
  return { tag: makeTag(tag, service), isFallback: false }
}

export const newSource = (config: DatasourceConfig): Source => ({
  config,
  directory: null,
  series: new Map(),
  errors: new Map(),
  nextLookMs: 0,
  changedMs: 0,
  failures: 0,
  complainedAtMs: -Infinity,
})

export const newSeries = (
  stem: string,
  datasource: string,
  lane: (name: string, datasource: string) => Lane,
): Series => ({
  stem,
  hint: hintOf(stem),
  lane: lane(`${datasource}/${stem}/follow`, datasource),
  backfill: lane(`${datasource}/${stem}/backfill`, datasource),
  readers: [],
  counts: noLines(),
})

export function closeReader(reader: Reader): void {
  reader.source?.close()
  reader.source = null
}

/** Bytes of a reader that were not read; compressed files count with their size on disk. */
export function backlogOf({ member, file, hasIncompleteLine }: Reader): number {
  if (member.state !== 'open' || hasIncompleteLine) return 0
  return file.compression === 'none' ? Math.max(0, file.size - member.offset) : file.size
}

/**
 * Age of the oldest byte that is not read yet, as seen at the last look: by the time of the line
 * before it, else since it was first seen. 0 at the end; ranges read later do not count.
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
