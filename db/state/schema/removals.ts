import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** What is to be removed from the cache. */
export type RemovalTarget =
  | { kind: 'alpha'; appId: number }
  /** By name, or by its id. */
  | { kind: 'beta'; gameName: string }
  | { kind: 'named'; service: string; gameName: string }
  | { kind: 'service'; service: string }

/** Whose evicted downloads are removed. */
export type EvictedScope =
  | { kind: 'bulk' }
  /** A game by its app id, or a depot of no known game by its own id. */
  | { kind: 'alpha'; appId: number }
  | { kind: 'beta'; betaAppId: string }
  | { kind: 'named'; service: string; gameName: string }
  /** A service's downloads that belong to no game with an id. */
  | { kind: 'service'; service: string }

/** Rows of the history by their datasource: of these only, or of all but these. In lower case. */
export type Within = { only: string[] } | { except: string[] }

/** A removal's changes to the history. Times in Unix seconds. */
export type PendingRemoval =
  | {
      id: string
      action: 'delete'
      scope: RemovalTarget
      titleKeys: string[]
      /** Titles of the same game whose content stayed in the cache. */
      keptTitleKeys: string[]
      endedBefore: number
      /** Those that ended after that may still grow: they stay, marked as evicted. */
      evictedBefore?: number
      /** Undefined: the rows of all datasources. */
      within?: Within | undefined
    }
  | {
      id: string
      action: 'evict'
      /** In lower case. */
      datasources: string[]
      endedBefore: number
    }

/** Removed from the cache, but perhaps not from the history yet; a row is deleted when done. */
export const pendingRemoval = sqliteTable(
  'pending_removal',
  {
    /** Id of the operation. */
    id: text().primaryKey(),
    note: text({ mode: 'json' }).$type<PendingRemoval>().notNull(),
    notedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('pending_removal_by_time').on(table.notedAt)],
)

/** The part of a removal that a node has yet to do: what was named, never which files that was. */
export type LaterWork =
  | { kind: 'removal'; target: RemovalTarget; purgesLogs: boolean }
  | { kind: 'evicted'; scope: EvictedScope; purgesLogs: boolean }
  /** Findings of a scan; null: all of the service. */
  | { kind: 'corruption'; scanId: string; service: string; candidateIds: readonly string[] | null }
  | { kind: 'clearing' }

/** Removals of which a node was away; a row is deleted when the node has done its part. */
export const laterRemoval = sqliteTable(
  'later_removal',
  {
    id: text().primaryKey(),
    /** Of the node. */
    slot: integer().notNull(),
    datasources: text({ mode: 'json' }).$type<string[]>().notNull(),
    work: text({ mode: 'json' }).$type<LaterWork>().notNull(),
    /** What pages call it. */
    subject: text().notNull(),
    requestedAt: integer({ mode: 'timestamp_ms' }).notNull(),
    /** While it is carried out. */
    operationId: text(),
    /** Why the last attempt failed; it is repeated when the node comes back. */
    problem: text(),
  },
  (table) => [uniqueIndex('later_removal_by_work').on(table.slot, table.work)],
)
