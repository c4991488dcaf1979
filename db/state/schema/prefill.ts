import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Platform } from '../../../src/platforms/platforms.ts'

const instant = () => integer({ mode: 'timestamp_ms' })
const flag = () => integer({ mode: 'boolean' })

/** Prefill sessions, running and ended. */
export const prefillSession = sqliteTable(
  'prefill_session',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** 16 hex digits. */
    sessionId: text().notNull(),
    platform: text().$type<Platform>().notNull(),
    /** Further account of a persistent session; null: the platform's first one. */
    accountId: text(),
    /** Session of access control; persistent sessions belong to the system. */
    userId: text().notNull(),
    /** Created by the owner of the installation, whose sessions other accounts do not see. */
    isOwners: flag().notNull(),
    transport: text({ enum: ['builtin', 'container', 'outside'] }).notNull(),
    containerId: text(),
    containerName: text(),
    accountUsername: text(),
    username: text(),
    status: text({
      enum: ['Active', 'Terminated', 'Orphaned', 'Cleaned', 'Cancelled'],
    }).notNull(),
    isTemporary: flag().notNull(),
    isPersistent: flag().notNull(),
    isAuthenticated: flag().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    endedAt: instant(),
    terminationReason: text(),
    /** Session of access control, or `system`. */
    terminatedBy: text(),
  },
  (table) => [
    uniqueIndex('prefill_session_key').on(table.sessionId),
    index('prefill_session_created').on(table.createdAt),
    index('prefill_session_status').on(table.status),
  ],
)

/** Accounts beyond the first one of a platform; that one always exists. */
export const prefillAccount = sqliteTable('prefill_account', {
  /** 8 hex digits. */
  id: text().primaryKey(),
  platform: text().$type<Platform>().notNull(),
  createdAt: instant().notNull(),
})

/** Games of prefill runs, one row per game and run. */
export const prefillHistory = sqliteTable(
  'prefill_history',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text()
      .notNull()
      .references(() => prefillSession.sessionId, { onDelete: 'cascade' }),
    appId: text().notNull(),
    appName: text(),
    /** The schedule that the run belongs to, as it was called then; null: none. */
    scheduleId: text(),
    scheduleName: text(),
    startedAt: instant().notNull(),
    completedAt: instant(),
    bytesDownloaded: integer().notNull(),
    /** 0: unknown. */
    totalBytes: integer().notNull(),
    status: text({
      enum: ['InProgress', 'Completed', 'Cached', 'Failed', 'Cancelled'],
    }).notNull(),
    errorMessage: text(),
  },
  (table) => [
    index('prefill_history_session').on(table.sessionId, table.startedAt),
    index('prefill_history_status').on(table.status),
  ],
)

/** Runs of prefill daemons and where their requests come from; see `run-origins.ts`. */
export const prefillRun = sqliteTable(
  'prefill_run',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Named by a heartbeat in the log of the cache. */
    mark: text().notNull(),
    sessionId: text().notNull(),
    platform: text().$type<Platform>().notNull(),
    addresses: text({ mode: 'json' }).$type<string[]>().notNull(),
    startedAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [uniqueIndex('prefill_run_mark').on(table.mark)],
)

/** Depots that a prefill brought into the cache, with their manifests. */
export const prefillDepot = sqliteTable(
  'prefill_depot',
  {
    depotId: integer().notNull(),
    /** An unsigned 64-bit number, as text. */
    manifestId: text().notNull(),
    appId: text().notNull(),
    appName: text(),
    /** Null: the daemon did not say. */
    totalBytes: integer(),
    cachedAt: instant().notNull(),
    /** Name of the account of the session. */
    cachedBy: text(),
  },
  (table) => [
    primaryKey({ columns: [table.depotId, table.manifestId] }),
    index('prefill_depot_app').on(table.appId),
  ],
)

/** Users who may not prefill: by the name of their platform account, or by their session here. */
export const prefillBan = sqliteTable(
  'prefill_ban',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Trimmed, in lower case. */
    username: text(),
    /** Session of access control. */
    userId: text(),
    reason: text(),
    /** Sessions of access control. */
    bannedBySessionId: text(),
    bannedBy: text(),
    isOwners: flag().notNull(),
    bannedAt: instant().notNull(),
    expiresAt: instant(),
    liftedAt: instant(),
    liftedBy: text(),
  },
  (table) => [
    index('prefill_ban_username').on(table.username),
    index('prefill_ban_user').on(table.userId),
  ],
)

/**
 * Schedules of prefill. The first one of a platform has the platform's key as its id and its options
 * in the setting `prefill.schedule`; without a row it was never named and never ran.
 */
export const prefillSchedule = sqliteTable('prefill_schedule', {
  id: text().primaryKey(),
  platform: text().$type<Platform>().notNull(),
  /** Differs from the platform's other names also in lower case. */
  name: text().notNull().default('Default'),
  /** When and what is prefilled; null for the first schedule of a platform. */
  options: text({ mode: 'json' }),
  /** From when the next run is calculated. */
  basisAt: instant(),
  /** Last run that was completed. */
  lastRunAt: instant(),
  /** How the last attempt ended, and why. */
  lastResult: text({ mode: 'json' }),
})

/** Games that are to be ready at a time; see `src/prefill/ready`. */
export const prefillReadyGame = sqliteTable(
  'prefill_ready_game',
  {
    platform: text().$type<Platform>().notNull(),
    appId: text().notNull(),
    name: text().notNull(),
    /** Null: at the time of the board. */
    dueAt: instant(),
    addedAt: instant().notNull(),
    /** When a daemon judged it last. */
    checkedAt: instant(),
    /** Whether a daemon knows its current version as downloaded; null: never judged. */
    isCurrent: flag(),
    /** Size of the current version as its daemon calculated it, or as it was downloaded. */
    totalBytes: integer(),
    /** Why it cannot be downloaded. */
    unavailable: text(),
    /** Why the last check could not judge it; the last verdict stays. */
    problem: text(),
    /** When a check first found a newer build than the one that was current. */
    newBuildAt: instant(),
    /** Clients that used it lately, at the last check. */
    clients: integer().notNull().default(0),
    /** When a run of the board completed it. */
    fetchedAt: instant(),
    /** Most bytes of it that were seen in the cache since then. */
    seenBytes: integer(),
  },
  (table) => [primaryKey({ columns: [table.platform, table.appId] })],
)
