import { Type } from '@sinclair/typebox'
import { missCauses } from '../../engines/log-scan/tail-contract.ts'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const cause = stringUnion(missCauses)

export const DownloadLogAnswer = Model('DownloadLog', {
  /** What was read: the ends of the logs up to the download's end. */
  filesRead: Int,
  linesRead: Int,
  readFromUtc: Nullable(Utc),
  /** Why some or all logs could not be read. */
  problem: Nullable(Text),
  /** Requests from the cache, from the internet, and answered with an error. */
  hits: Int,
  misses: Int,
  failed: Int,
  startTimeUtc: Utc,
  secondsPerPoint: Int,
  points: Type.Array(Type.Object({ hitBytes: Int, missBytes: Int })),
  /** Misses that were searched in the lines before; the rest are only counted. */
  examined: Int,
  causes: Type.Array(Type.Object({ cause, misses: Int })),
  samples: Type.Array(
    Type.Object({
      path: Text,
      /** First byte of the slice; null where the object is stored whole. */
      sliceStart: Nullable(Int),
      atUtc: Utc,
      bytes: Int,
      cause,
      /** The last request for it before. */
      requestedBeforeUtc: Nullable(Utc),
      wasHitBefore: Nullable(Flag),
    }),
  ),
  /** Its first lines as they are in the log. */
  lines: Type.Array(Text),
})
