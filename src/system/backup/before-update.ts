/*
 * A snapshot precedes an update of the history. It has to be made before the SQLite files are
 * changed, too, so that the version that ran before accepts all of it; the start therefore
 * connects to the history once before anything else. A note in `backups/last-update.json` names
 * the newest migration that was dealt with: other starts cost reading this file. A snapshot that
 * is impossible never prevents an update; the page says why.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Sql } from 'postgres'
import { reachClient } from '../../../db/history/connect.ts'
import { createDatabaseServer } from '../../../db/history/database-server.ts'
import { describeFailure } from '../../../db/history/failures.ts'
import { appliedMigrations, migrationsFolder } from '../../../db/history/migrate.ts'
import { knownMigrations } from '../../../db/migrations.ts'
import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { version } from '../../core/lib/version.ts'
import { historyBytes } from '../../engines/backup/history-tables.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { createSnapshotFiles } from './files.ts'
import { backupFolder } from './outcome.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** A larger history is not copied: the service does not answer meanwhile. */
const historyBytesMax = 8 * 1024 ** 3
/**
 * How long an update waits for the history; later it is migrated without a snapshot. The embedded
 * server may have to recover; one of its own either runs or is away for longer.
 */
const historyWaitMs = { embedded: 60_000, external: 10_000 }
const retryMs = 500

/** What preceded the last update of the history. */
export interface UpdateNote {
  at: string
  /** Newest migration of the program that wrote this. */
  newest: number
  /** Name of the snapshot; null without one. */
  snapshot: string | null
  /** Why there is none although the history was changed; null otherwise. */
  problem: string | null
}

const pathIn = (dataPath: string) => join(backupFolder(dataPath), 'last-update.json')

/** Null: no program that writes notes has run here. */
export function readUpdateNote(dataPath: string): UpdateNote | null {
  try {
    // Written below, as a whole.
    return JSON.parse(readFileSync(pathIn(dataPath), 'utf8')) as UpdateNote
  } catch {
    return null
  }
}

function writeNote(dataPath: string, note: UpdateNote): void {
  mkdirSync(backupFolder(dataPath), { recursive: true, mode: 0o700 })
  const path = pathIn(dataPath)
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Whether a program with these migrations would change the history, and has seen all that it has. */
function isBehind(applied: readonly number[], known: readonly number[]): boolean {
  const isOurs = applied.every((when) => known.includes(when))
  return isOurs && applied.length > 0 && applied.length < known.length
}

/** Connects to the history without bringing it up to date. Rejects with the reason. */
async function withHistory<T>(
  config: Config,
  { log, waitMs }: { log: Logger; waitMs: number },
  work: (sql: Sql, server: ReturnType<typeof createDatabaseServer>) => Promise<T>,
): Promise<T> {
  const server = createDatabaseServer(config, log)
  const signal = AbortSignal.timeout(waitMs)
  const reach = async (): Promise<Sql> => {
    try {
      await server.start(signal, () => {})
      const options = { name: 'update', connections: 1, statementTimeoutMs: 0, signal }
      return await reachClient(server.target(), options)
    } catch (error) {
      if (signal.aborted) throw new Error(describeFailure(error, server.target()), { cause: error })
      await Bun.sleep(retryMs)
      return reach()
    }
  }
  try {
    const sql = await reach()
    try {
      return await work(sql, server)
    } finally {
      await sql.end({ timeout: 1 })
    }
  } finally {
    await server.stop()
  }
}

export interface UpdateOptions {
  historyBytesMax?: number
  historyWaitMs?: number
  /** Folder of the history's migrations; those of this program by default. */
  migrations?: string
  /** Called before the history is reached, which may take a while. */
  onBegin?: () => void
}

/**
 * Makes a snapshot of everything before a new version changes the history, and before it changes
 * the SQLite files: the version that ran before can be restored with it. Only the newest of these
 * is kept. Never throws: an update goes on without a snapshot, with the reason in log and note.
 */
export async function snapshotBeforeUpdate(
  config: Config,
  log: Logger,
  options: UpdateOptions = {},
): Promise<void> {
  const { dataPath } = config
  const folder = options.migrations ?? migrationsFolder
  const known = knownMigrations(folder)
  const newest = known.at(-1) ?? 0
  if (readUpdateNote(dataPath)?.newest === newest) return
  const note = (part: Partial<UpdateNote>) =>
    writeNote(dataPath, {
      at: new Date().toISOString(),
      newest,
      snapshot: null,
      problem: null,
      ...part,
    })
  if (!existsSync(join(dataPath, 'state.sqlite'))) return note({})
  options.onBegin?.()
  const files = createSnapshotFiles(dataPath)
  const left = files.tidy()
  if (left.length > 0) log.warn({ left }, 'the last start was ended while it made a snapshot')
  try {
    const waitMs = options.historyWaitMs ?? historyWaitMs[config.postgres.mode]
    const made = await withHistory(config, { log, waitMs }, async (sql, server) => {
      if (!isBehind(await appliedMigrations(sql, folder), known)) return null
      const bytes = await historyBytes(sql)
      const bytesMax = options.historyBytesMax ?? historyBytesMax
      if (bytes > bytesMax) {
        throw new Error(`The history has ${bytes} bytes; up to ${bytesMax} are copied`)
      }
      const file = files.place(new Date(), 'before-update')
      const request = { dataPath, file, version, history: server.target() }
      await makeSnapshot(request, { progress() {}, isCancelled: () => false })
      return basename(file)
    })
    if (made !== null) {
      for (const { name, kind } of files.list()) {
        if (kind === 'before-update' && name !== made) files.remove(name)
      }
      log.warn({ snapshot: made }, 'a snapshot was made before the update of the history')
    }
    note({ snapshot: made })
  } catch (error) {
    const problem = errorText(error)
    log.warn({ reason: problem }, 'no snapshot was made before the update of the history')
    note({ problem })
  }
}
