import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import { openClient, type HistoryTarget } from './connect.ts'
import type { ReadLane } from './history.ts'
import * as schema from './schema.ts'

/** Parallel readers by lane; further queries wait for a free connection of theirs. */
const laneConnections: Record<ReadLane, number> = { reports: 4, lists: 2 }
/** Longer queries are cancelled, so that one report cannot hold the pool. */
export const readTimeoutMs = 15_000

export interface Lane {
  db: PostgresJsDatabase<typeof schema>
  readers: Sql
}
export type Lanes = Record<ReadLane, Lane>

function openLane(target: HistoryTarget, lane: ReadLane): Lane {
  const readers = openClient(target, {
    name: lane === 'reports' ? 'reader' : 'lister',
    connections: laneConnections[lane],
    statementTimeoutMs: readTimeoutMs,
    isReader: true,
  })
  return { readers, db: drizzle({ client: readers, schema, casing: 'snake_case' }) }
}

export const openLanes = (target: HistoryTarget): Lanes => ({
  reports: openLane(target, 'reports'),
  lists: openLane(target, 'lists'),
})

/** Signing in costs more than most reports: opens all connections before the first query. */
export function signIn(lanes: Lanes): void {
  for (const { readers } of [lanes.reports, lanes.lists]) {
    for (let count = 0; count < readers.options.max; count++) readers`select 1`.catch(() => {})
  }
}

export const clientsOf = ({ reports, lists }: Lanes): Sql[] => [reports.readers, lists.readers]
