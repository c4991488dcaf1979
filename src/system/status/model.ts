import { Type } from '@sinclair/typebox'
import { historyStates, replicaStates } from '../../../db/history/history.ts'
import { IngestStatus, SourceProblem } from '../../engines/logs/wire.ts'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Datasource = Type.Object({
  name: Text,
  logPath: Text,
  problem: SourceProblem,
  message: Nullable(Text),
  backlogBytes: Int,
  lastRunTerminalStatus: Text,
})

/** Whether the service does its work, and what to do when it does not. */
export const ServiceStatus = Model('ServiceStatus', {
  version: Text,
  isInContainer: Flag,
  startedAt: Utc,
  isHealthy: Flag,
  ingest: IngestStatus,
  history: Type.Object({
    mode: Text,
    state: stringUnion(historyStates),
    message: Nullable(Text),
    since: Utc,
    /** The replica that answers reports; null: none is configured, or the history is away. */
    replica: Nullable(Type.Object({ state: stringUnion(replicaStates), message: Nullable(Text) })),
  }),
  /** `damagedCopy`: the damaged index was moved there and is being rebuilt. */
  cacheIndex: Type.Object({ damagedCopy: Nullable(Text) }),
  datasources: Type.Array(Datasource),
  /** Nodes that should be connected and are not. */
  nodesAway: Type.Array(Type.Object({ name: Text, sinceUtc: Utc })),
  /** Why the last search for names of Steam games failed. */
  names: Type.Object({ problem: Nullable(Text) }),
  /** The last status check; null: none was made. */
  dns: Nullable(Type.Object({ checkedAtUtc: Utc, cacheAnswers: Flag, leadsToCache: Flag })),
})
