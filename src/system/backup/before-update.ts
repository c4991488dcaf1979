/*
 * A snapshot precedes an update of the history. The SQLite files are copied before they are
 * changed, too, so that the version that ran before accepts all of it; the start takes no longer
 * than that. The history follows when it is reached, while the service answers and reads the log:
 * nothing is sent to it before it is updated. A note in `backups/last-update.json` names the newest
 * migration that was dealt with: other starts cost reading this file. A snapshot that is impossible
 * never prevents an update; the page says why.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Sql } from 'postgres'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import type { PrepareUpdate } from '../../../db/history/history.ts'
import { appliedMigrations, migrationsFolder } from '../../../db/history/migrate.ts'
import { historyLinkKey } from '../../../db/hot/schema.ts'
import { knownMigrations } from '../../../db/migrations.ts'
import { openSqlite } from '../../../db/sqlite.ts'
import type { Config } from '../../core/config.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { Logger } from '../../core/lib/log.ts'
import { version } from '../../core/lib/version.ts'
import { sqliteNames, type BackupEngine } from '../../engines/backup/contract.ts'
import { historyBytes } from '../../engines/backup/history-tables.ts'
import { createSnapshotFiles } from './files.ts'
import { backupFolder, lastUpdate } from './outcome.ts'

/** A larger history is not copied: it would be away for too long. */
const historyBytesMax = 8 * 1024 ** 3

/** Whether a program with these migrations would change the history, and has seen all that it has. */
function isBehind(applied: readonly number[], known: readonly number[]): boolean {
  const isOurs = applied.every((when) => known.includes(when))
  return isOurs && applied.length > 0 && applied.length < known.length
}

/** Copies of the SQLite files as they were before the update. */
const keptFolder = (dataPath: string) => join(backupFolder(dataPath), 'before-update')
const removeKept = (dataPath: string) =>
  rmSync(keptFolder(dataPath), { recursive: true, force: true })

/** What `hot.sqlite` says that the history has; null without that. */
function linkIn(folder: string): unknown {
  const path = join(folder, 'hot.sqlite')
  if (!existsSync(path)) return null
  using hot = openSqlite(path)
  return hot.query('SELECT value FROM meta WHERE key = ?').values(historyLinkKey)[0]?.[0] ?? null
}

/**
 * Complete with its last step. Copies of a start that was killed stay, because the files may be new
 * already, unless the version before has sent something since.
 */
function copyFiles(dataPath: string): void {
  const kept = keptFolder(dataPath)
  if (existsSync(kept) && linkIn(kept) === linkIn(dataPath)) return
  rmSync(kept, { recursive: true, force: true })
  const unfinished = `${kept}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  for (const name of sqliteNames.filter((file) => existsSync(join(dataPath, file)))) {
    using database = openSqlite(join(dataPath, name))
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    copyFileSync(join(dataPath, name), join(unfinished, name))
  }
  renameSync(unfinished, kept)
}

const isDue = (dataPath: string, newest: number) => lastUpdate.read(dataPath)?.newest !== newest

function finish(
  dataPath: string,
  newest: number,
  part: { snapshot?: string; problem?: string } = {},
): void {
  const at = new Date().toISOString()
  lastUpdate.write(dataPath, { at, newest, snapshot: null, problem: null, ...part })
  removeKept(dataPath)
}

function finishWithout(dataPath: string, newest: number, { error, log }: Failed): void {
  const problem = errorText(error)
  log.warn({ reason: problem }, 'no snapshot was made before the update of the history')
  finish(dataPath, newest, { problem })
}
interface Failed {
  error: unknown
  log: Logger
}

/** Keeps the SQLite files for the snapshot, before a new version changes them. Never throws. */
export function keepBeforeUpdate(
  { dataPath }: Config,
  log: Logger,
  folder = migrationsFolder,
): void {
  const newest = knownMigrations(folder).at(-1) ?? 0
  // A kill, or a version that refused the files, may have left copies.
  if (!isDue(dataPath, newest)) return removeKept(dataPath)
  if (!existsSync(join(dataPath, 'state.sqlite'))) return finish(dataPath, newest)
  try {
    copyFiles(dataPath)
  } catch (error) {
    finishWithout(dataPath, newest, { error, log })
  }
}

export interface UpdateParts {
  config: Config
  log: Logger
  backup: Pick<BackupEngine, 'make'>
  /** Connection parameters of the history. */
  target: () => HistoryTarget
  /** The service stops. */
  signal: AbortSignal
  historyBytesMax?: number
  /** Folder of the history's migrations; those of this program by default. */
  migrations?: string
}

/**
 * Makes the snapshot of what `keepBeforeUpdate` has kept and the history, before that is migrated.
 * Only the newest of these is kept. Rejects when the history is lost or the service stops; for every
 * other failure the update goes on without a snapshot, with the reason in log and note.
 */
export function snapshotBeforeUpdate(parts: UpdateParts): PrepareUpdate {
  const { config, log, backup, signal } = parts
  const { dataPath } = config
  const folder = parts.migrations ?? migrationsFolder
  const bytesMax = parts.historyBytesMax ?? historyBytesMax
  const known = knownMigrations(folder)
  const newest = known.at(-1) ?? 0

  async function snapshot(sql: Sql): Promise<string> {
    const bytes = await historyBytes(sql)
    if (bytes > bytesMax) {
      throw new Error(`The history has ${bytes} bytes; up to ${bytesMax} are copied`)
    }
    const files = createSnapshotFiles(dataPath)
    const file = files.place(new Date(), 'before-update')
    const history = parts.target()
    const request = { dataPath, sqlitePath: keptFolder(dataPath), file, version, history }
    await backup.make(request, { signal, progress() {} })
    const made = basename(file)
    for (const { name, kind } of files.list()) {
      if (kind === 'before-update' && name !== made) files.remove(name)
    }
    return made
  }

  return async (sql, onBegin) => {
    if (!isDue(dataPath, newest)) return
    if (!isBehind(await appliedMigrations(sql, folder), known)) return finish(dataPath, newest)
    onBegin()
    try {
      const made = await snapshot(sql)
      log.warn({ snapshot: made }, 'a snapshot was made before the update of the history')
      finish(dataPath, newest, { snapshot: made })
    } catch (error) {
      signal.throwIfAborted()
      await sql`select 1`
      finishWithout(dataPath, newest, { error, log })
    }
  }
}
