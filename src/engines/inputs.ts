import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Nullable, Num, stringUnion } from '../core/lib/schema.ts'
import { platforms } from '../platforms/platforms.ts'
import { maxFilterEntries } from './logs/limits.ts'

/*
 * Inputs of jobs that a service may ask a node for, which checks them (`remote/guards.ts`). Workers
 * import only types from here, so that they do not load TypeBox.
 */

export const LongText = Type.String({ maxLength: 4000 })
export const Name = Type.String({ maxLength: 200 })
export const Datasource = Nullable(Name)
export const listOf = <T extends TSchema>(schema: T, maxItems: number) =>
  Type.Array(schema, { maxItems })

export const cacheFileName = /^[0-9a-f]{32}$/
const Digest = Type.String({ pattern: cacheFileName.source })

const Methods = stringUnion(['preserve', 'full', 'rsync'])
export type DeleteMode = Static<typeof Methods>
export const ClearOptions = Type.Object({
  datasource: Name,
  mode: Methods,
  /** First-level directories processed in parallel. */
  threads: Type.Integer({ minimum: 1, maximum: 64 }),
})
export type ClearOptions = Static<typeof ClearOptions>

const until = {
  logPath: LongText,
  /** Time zone of log times without one. */
  timeZone: LongText,
  /** Unix seconds, inclusive. */
  toS: Num,
  /** Read at the end of each file, if less than usual. */
  bytesMax: Type.Optional(LargeInt),
}
const period = { ...until, fromS: Num }
/** How the cache files of logs are named. */
const keys = {
  scheme: stringUnion(['monolithic', 'bare_metal']),
  /** Slice size in bytes; 0: objects are stored whole. */
  sliceBytes: LargeInt,
}
const tail = { ...period, ...keys }

/** The logs of one datasource, and the period in Unix seconds, both ends included. */
export const LogPeriod = Type.Object(period)
export type LogPeriod = Static<typeof LogPeriod>

/** The same, and how the cache files of these logs are named. */
export const TailRequest = Type.Object(tail)
export type TailRequest = Static<typeof TailRequest>

/** `client`: null: any. */
export const RepeatsRequest = Type.Object({ ...tail, client: Datasource })
export type RepeatsRequest = Static<typeof RepeatsRequest>

export const HostsRequest = Type.Object({ ...tail, tag: LongText, path: Type.String() })
export type HostsRequest = Static<typeof HostsRequest>

/** One download; `toS` is its end. */
export const DownloadLogRequest = Type.Object({
  ...until,
  ...keys,
  startS: Num,
  client: Name,
  tag: LongText,
  titleKey: LongText,
  isPrefill: Flag,
})
export type DownloadLogRequest = Static<typeof DownloadLogRequest>

/** What to search for in the logs of one datasource. */
export const LogScanRequest = Type.Object({
  ...tail,
  cachePath: LongText,
  /** Number of misses of a cache file within a minute from which it is reported. */
  threshold: Int,
})
export type LogScanRequest = Static<typeof LogScanRequest>

/** A file of a series, as it is on disk now. */
const LogFile = Type.Object({
  stem: Name,
  name: LongText,
  path: LongText,
  compression: stringUnion(['none', 'gzip', 'zstd']),
  device: Name,
  inode: Name,
  size: Num,
  modifiedMs: Num,
  /** Sorts oldest to newest, by kind first. */
  order: Type.Tuple([Num, Type.String({ maxLength: 200 })]),
})
export type LogFile = Static<typeof LogFile>

/** Why lines of a file (or of a whole folder) are missing in the counts. */
export const UncountedReason = stringUnion([
  'missing',
  'denied',
  'damaged',
  'not_a_file',
  'no_answer',
  'disk_error',
  'too_many',
])
export type UncountedReason = Static<typeof UncountedReason>

/** Saved count of a file: how far it was counted, and how to recognise the file. */
const FileCount = Type.Object({
  /** Size and mtime that the count belongs to. */
  size: Num,
  modifiedMs: Num,
  /** Counted bytes, decompressed: the end of the last complete line. */
  offset: LargeInt,
  isInsideLongLine: Flag,
  /** The beginning of the file, and its last bytes before `offset`. */
  head: Type.Uint8Array(),
  tail: Type.Uint8Array(),
  services: listOf(Type.Tuple([LongText, Num]), 10_000),
  otherLines: Num,
  unreadableLines: Num,
  problem: Nullable(UncountedReason),
  /** False: interrupted; for a plain file, counting continues at `offset`. */
  isComplete: Flag,
})
export type FileCount = Static<typeof FileCount>

export const CountFileRequest = Type.Object({
  file: LogFile,
  logPath: LongText,
  timeZone: LongText,
  /** Its previous count. */
  known: Nullable(FileCount),
})
export type CountFileRequest = Static<typeof CountFileRequest>

/** A logged request; texts keep the log's own escapes, one character per byte. */
const LogObservation = Type.Object({
  /** Unix seconds. */
  at: Num,
  client: LongText,
  tag: LongText,
  /** First letter of the method. */
  method: Name,
  target: Type.String(),
  status: Num,
  bytes: Num,
  cache: stringUnion(['hit', 'miss', 'none']),
  host: LongText,
  range: LongText,
})
export type LogObservation = Static<typeof LogObservation>

/** Selects lines. */
const LineFilter = Type.Union([
  /** Every line of a service; files with no other service match as a whole. */
  Type.Object({ kind: Type.Literal('service'), service: LongText }),
  /** Lines of a service whose title key, as computed by the parser, is one of these. */
  Type.Object({
    kind: Type.Literal('titles'),
    service: LongText,
    titleKeys: listOf(LongText, maxFilterEntries),
  }),
  /** Lines that request one of these objects: tag and path as in a cache key, any range. */
  Type.Object({
    kind: Type.Literal('objects'),
    objects: listOf(Type.Object({ tag: LongText, path: Type.String() }), maxFilterEntries),
  }),
  /** Lines that equal one of these in every field. */
  Type.Object({
    kind: Type.Literal('observations'),
    observations: listOf(LogObservation, maxFilterEntries),
  }),
])
export type LineFilter = Static<typeof LineFilter>
export const RemovalRequest = Type.Object({ datasource: Name, filter: LineFilter })
export type RemovalRequest = Static<typeof RemovalRequest>

/** A reset of the history and of everything read. */
export const EmptyingRequest = Type.Object({
  /** Where reading starts afterwards: all existing logs again, or only new lines. */
  startAt: stringUnion(['beginning', 'end']),
  /** Also deletes the names of games; those of existing logs are learnt again. */
  forgetsTitles: Flag,
})
export type EmptyingRequest = Static<typeof EmptyingRequest>

/** A run of one of our prefill daemons, and where its requests come from. */
const PrefillRun = Type.Object({
  /** Named in the query of a heartbeat that was sent the way that the daemon's requests go. */
  mark: Name,
  platform: stringUnion(platforms),
  /** Client addresses that the cache sees. */
  addresses: listOf(Name, 1000),
  /** Unix seconds. */
  startedAt: Num,
  /** Null: it has not ended. */
  endedAt: Nullable(Num),
})
export type PrefillRun = Static<typeof PrefillRun>
export const Runs = listOf(PrefillRun, 10_000)

export const Candidates = listOf(
  Type.Object(
    {
      id: LongText,
      datasource: Name,
      service: LongText,
      exactPaths: listOf(LongText, 10_000),
      evidence: Type.Object({ kind: stringUnion(['structural', 'repeated_miss']) }),
    },
    { additionalProperties: true },
  ),
  10_000,
)
export const Content = Type.Object({
  id: LargeInt,
  datasource: Name,
  tag: LongText,
  sampleUris: listOf(Type.String(), 100),
})

/** An object as logs and download samples name it. */
export const ObjectName = Type.Object({
  datasource: Name,
  /** Cache tag (log tag), not the service name of reports. */
  tag: LongText,
  /** Normalised path, without the query. */
  uri: Type.String(),
  /** First byte of the request; determines the slice. */
  firstByte: LargeInt,
})
export type ObjectName = Static<typeof ObjectName>

/** An object as a cache key names it. */
export const ObjectRequest = Type.Object({
  datasource: Name,
  /** Tag of the log. */
  tag: LongText,
  /** Path as in the key: decoded, without the query. */
  path: Type.String(),
  /** Path as requested, query included: some proxies use it in cache keys. */
  target: Type.String(),
})
export type ObjectRequest = Static<typeof ObjectRequest>

/** Which files of the index to remove; each is checked again right before its unlink. */
export const RemovalSelection = Type.Union([
  Type.Object({
    kind: Type.Literal('contents'),
    contentIds: listOf(LargeInt, 1_000_000),
  }),
  Type.Object({
    kind: Type.Literal('files'),
    files: listOf(Type.Object({ datasource: Name, digest: Digest }), 1_000_000),
  }),
])
export type RemovalSelection = Static<typeof RemovalSelection>
