import { Type } from '@sinclair/typebox'
import { limitNames } from '../../engines/logs/contract.ts'
import { LinkChoice } from '../history-link/model.ts'
import { Flag, Int, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { words } from '../../core/http/words.ts'

const Outbox = Type.Object({
  downloads: Int,
  trafficRows: Int,
  lagSeconds: Num,
  bytes: Int,
  lastShippedAt: Nullable(Utc),
  lastError: Nullable(Text),
  /** Rows wait and none gets through. */
  isStuck: Flag,
  /** Rows that the history refused; `/api/ext/logs/quarantine` lists them. */
  quarantined: Int,
})

/** Positions and history do not belong together; `choices` are for `/api/ext/history-link`. */
const Mismatch = Type.Object({ reason: Text, choices: Type.Array(LinkChoice) })

const Ingest = Type.Object({
  state: Text,
  message: Nullable(Text),
  mismatch: Nullable(Mismatch),
  backlogBytes: Int,
  lagMs: Num,
  outbox: Outbox,
  /** Bounds of the reading of logs that were reached since the start. */
  limits: Type.Array(Type.Object({ limit: words(limitNames), value: Int, subject: Text, at: Utc })),
})

const Datasource = Type.Object({
  name: Text,
  logPath: Text,
  problem: Text,
  message: Nullable(Text),
  backlogBytes: Int,
  lastRunTerminalStatus: Text,
})

/** Whether the service does its work, and what to do when it does not. */
export const ServiceStatus = Type.Object({
  version: Text,
  startedAt: Utc,
  isHealthy: Flag,
  ingest: Ingest,
  history: Type.Object({ mode: Text, state: Text, message: Nullable(Text), since: Utc }),
  /** `damagedCopy`: the index was damaged, is put aside there and is being made again. */
  cacheIndex: Type.Object({ damagedCopy: Nullable(Text) }),
  datasources: Type.Array(Datasource),
})
