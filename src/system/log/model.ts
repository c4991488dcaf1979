import { Type } from '@sinclair/typebox'
import { Int, Model, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { logLevels } from '../../core/lib/recent-log.ts'

export const LogLevel = stringUnion(logLevels)

const LogLine = Model('LogLine', {
  sequence: Int,
  atUtc: Utc,
  level: LogLevel,
  message: Text,
  /** The other members as JSON; empty without any. */
  details: Text,
})

export const RecentLines = Model('RecentLogLines', {
  /** Oldest first. */
  lines: Type.Array(LogLine),
  /** Lines below this level are not written; see `LOG_LEVEL`. */
  writtenFrom: LogLevel,
})
