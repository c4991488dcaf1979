import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, Num, Text, Utc } from '../../../http/schema.ts'

const Outbox = Type.Object({
  downloads: Int,
  trafficRows: Int,
  lagSeconds: Num,
  bytes: Int,
  lastShippedAt: Nullable(Utc),
  lastError: Nullable(Text),
})

const Ingest = Type.Object({
  state: Text,
  message: Nullable(Text),
  backlogBytes: Int,
  lagMs: Num,
  outbox: Outbox,
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
  datasources: Type.Array(Datasource),
})
