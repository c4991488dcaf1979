import { Type } from '@sinclair/typebox'
import { historyStates } from '../../../db/history/history.ts'
import { limitNames, sourceProblems } from '../../engines/logs/contract.ts'
import { LinkChoice } from '../history-link/model.ts'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Outbox = Model('Outbox', {
  downloads: Int,
  trafficRows: Int,
  lagSeconds: Num,
  bytes: Int,
  lastShippedAt: Nullable(Utc),
  lastError: Nullable(Text),
  /** Rows are queued and none can be sent. */
  isStuck: Flag,
  /** Rows that the history refused; `/api/ext/logs/quarantine` lists them. */
  quarantined: Int,
})

/** Log positions and history do not match; `choices` are for `/api/ext/history-link`. */
const Mismatch = Type.Object({ reason: Text, choices: Type.Array(LinkChoice) })

const Ingest = Model('Ingest', {
  state: Text,
  message: Nullable(Text),
  mismatch: Nullable(Mismatch),
  backlogBytes: Int,
  lagMs: Num,
  outbox: Outbox,
  /** Limits of log reading that were reached since the start. */
  limits: Type.Array(
    Type.Object({ limit: stringUnion(limitNames), value: Int, subject: Text, at: Utc }),
  ),
})

const Datasource = Type.Object({
  name: Text,
  logPath: Text,
  problem: stringUnion(sourceProblems),
  message: Nullable(Text),
  backlogBytes: Int,
  lastRunTerminalStatus: Text,
})

/** Whether the service does its work, and what to do when it does not. */
export const ServiceStatus = Model('ServiceStatus', {
  version: Text,
  startedAt: Utc,
  isHealthy: Flag,
  ingest: Ingest,
  history: Type.Object({
    mode: Text,
    state: stringUnion(historyStates),
    message: Nullable(Text),
    since: Utc,
  }),
  /** `damagedCopy`: the damaged index was moved there and is being rebuilt. */
  cacheIndex: Type.Object({ damagedCopy: Nullable(Text) }),
  datasources: Type.Array(Datasource),
  /** Why the last search for names of Steam games failed. */
  names: Type.Object({ problem: Nullable(Text) }),
  /** The last status check; null: none was made. */
  dns: Nullable(Type.Object({ checkedAtUtc: Utc, cacheAnswers: Flag, leadsToCache: Flag })),
})
