import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const SetupState = Model('SetupState', {
  isCompleted: Flag,
  hasProcessedLogs: Flag,
  setupCompleted: Flag,
  needsPostgresCredentials: Flag,
  accountExists: Nullable(Flag),
  currentSetupStep: Nullable(Text),
  dataSourceChoice: Nullable(Text),
  completedPlatforms: Nullable(Text),
  mode: Text,
  postgresHost: Nullable(Text),
  postgresPort: Nullable(Int),
  postgresDatabase: Nullable(Text),
  postgresUser: Nullable(Text),
})
export type SetupState = Static<typeof SetupState>

export const SetupPatch = Type.Object({
  completed: Type.Optional(Nullable(Flag)),
  currentSetupStep: Type.Optional(Nullable(Text)),
  dataSourceChoice: Type.Optional(Nullable(Text)),
  completedPlatforms: Type.Optional(Nullable(Text)),
})

export const SetupPatched = Type.Object({ message: Text, setupCompleted: Flag })

/** The parts that are tried, each with its problems; `none` is good. */
export const checkProblems = {
  datasource: ['notConfigured'],
  log: ['none', 'missing', 'denied', 'noLog', 'unreadable', 'unresponsive'],
  lines: ['none', 'empty', 'partly', 'unknown'],
  cacheRead: ['none', 'missing', 'denied', 'unresponsive'],
  cacheWrite: ['none', 'readOnly', 'denied'],
  database: ['none', 'starting', 'away', 'mismatch'],
  positions: ['failed'],
} as const

const CheckOf = <P extends keyof typeof checkProblems>(part: P) =>
  Type.Object({
    part: Type.Literal(part),
    problem: stringUnion<(typeof checkProblems)[P]>(checkProblems[part]),
    /** `attention`: Larder works, with the consequence that the dashboard names. */
    state: stringUnion(['good', 'attention', 'bad']),
    datasource: Nullable(Text),
    path: Nullable(Text),
    /** The server's stringUnion: an error, a log line that was not understood. */
    detail: Nullable(Text),
    /** Some names in the log folder, where it has no access log; else none. */
    entries: Type.Array(Text),
    /** Of the last lines of the newest log. */
    lines: Int,
    understood: Int,
    format: Nullable(stringUnion(['cachelog', 'json', 'detailed'])),
    /** A command, or lines for a configuration file. */
    remedy: Nullable(Text),
  })

export const Checklist = Model('SetupChecklist', {
  /** State of log reading; `awaiting_setup` until the set-up is completed. */
  ingestState: Text,
  isInContainer: Flag,
  checks: Type.Array(
    Type.Union([
      CheckOf('datasource'),
      CheckOf('log'),
      CheckOf('lines'),
      CheckOf('cacheRead'),
      CheckOf('cacheWrite'),
      CheckOf('database'),
      CheckOf('positions'),
    ]),
  ),
})
export type Checklist = Static<typeof Checklist>
export type Check = Checklist['checks'][number]
