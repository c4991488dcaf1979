/*
 * A restore is applied before anything is opened. A snapshot is unpacked into `restore/`, checked
 * and migrated there. Then the service stops and starts again in the same process; the start
 * replaces the history in one transaction, notes that, and only renames files from there on.
 * Whatever is killed, the next start repeats or completes it. If the history cannot be replaced
 * the folder is dropped and `backups/last-restore.json` says why.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openClient } from '../../../db/history/connect.ts'
import { createHistory } from '../../../db/history/create.ts'
import { filesOf } from '../../../db/damage.ts'
import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { orLate } from '../../core/lib/within.ts'
import {
  folderNames,
  isOwnName,
  sqliteNames,
  type Manifest,
  stagedFolder,
} from '../../engines/backup/contract.ts'
import { restoreHistory } from '../../engines/backup/restore-history.ts'
import { lastRestore, type RestoreOutcome } from './outcome.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** How long a restore waits for the history database; Postgres may have to recover first. */
const historyWaitMs = 300_000
/** From here on the files are swapped, whatever happens: the history is that of the snapshot. */
const historyDone = 'history-done'

export interface ApplyOptions {
  historyWaitMs?: number
  /** Folder of the history's migrations; those of this program by default. */
  migrations?: string
}

const manifestIn = (staged: string) => join(staged, 'manifest.json')

/** Whether a restore was prepared, and perhaps interrupted. */
export const isStaged = (dataPath: string): boolean =>
  existsSync(manifestIn(stagedFolder(dataPath)))

/** Rejects with the reason when the history does not come up. */
async function withHistory(config: Config, log: Logger, waitMs: number, work: Work): Promise<void> {
  const history = createHistory(config, log)
  const ready = Promise.withResolvers<true>()
  history.onStatus(({ state }) => state === 'ready' && ready.resolve(true))
  history.start()
  try {
    if (!(await orLate(ready.promise, waitMs, false))) {
      throw new Error(history.status().message ?? 'The history database did not come up in time')
    }
    const target = history.connection()
    const sql = openClient(target, { name: 'restore', connections: 1, statementTimeoutMs: 0 })
    try {
      await work(sql)
    } finally {
      await sql.end({ timeout: 1 })
    }
  } finally {
    await history.stop()
  }
}
type Work = (sql: ReturnType<typeof openClient>) => Promise<void>

/** Moves what stands at `path` aside, once: after a crash it is there already. */
function moveAside(path: string, aside: string): void {
  if (existsSync(path) && !existsSync(aside)) renameSync(path, aside)
}

/** Files that are not Larder's are in no snapshot: they stay where they are. */
function keepForeign(folder: string, fresh: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names.filter((one) => !isOwnName(one))) {
    renameSync(join(folder, name), join(fresh, name))
  }
}

/**
 * Puts the files of the snapshot in place, by renaming only. A crash in between leaves files that
 * are still staged: repeating it completes the swap.
 */
function swapFiles(dataPath: string): void {
  const staged = stagedFolder(dataPath)
  const aside = join(staged, 'replaced')
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const name of sqliteNames) {
    const path = join(dataPath, name)
    const fresh = join(staged, 'sqlite', name)
    const isSwapped = !existsSync(fresh) && existsSync(join(aside, `${name}.swapped`))
    if (isSwapped) continue
    for (const [index, file] of filesOf(path).entries()) {
      moveAside(file, filesOf(join(aside, name))[index] ?? '')
    }
    writeFileSync(join(aside, `${name}.swapped`), '')
    if (existsSync(fresh)) renameSync(fresh, path)
  }
  for (const name of folderNames) {
    const fresh = join(staged, 'files', name)
    if (!existsSync(fresh)) continue
    keepForeign(join(dataPath, name), fresh)
    moveAside(join(dataPath, name), join(aside, name))
    renameSync(fresh, join(dataPath, name))
  }
}

/** What a kill left before the staged folder was complete, or while it was removed. */
export function dropUnfinished(dataPath: string): void {
  rmSync(`${stagedFolder(dataPath)}.new`, { recursive: true, force: true })
  if (!isStaged(dataPath)) rmSync(stagedFolder(dataPath), { recursive: true, force: true })
}

/**
 * Puts a staged snapshot in place, while nothing else uses the data folder: the history in one
 * transaction, then the files. If the history cannot be replaced nothing is, and the service goes on
 * with what it had. Null: nothing was staged. Never throws for reasons that a restart would not solve.
 */
export async function applyRestore(
  config: Config,
  log: Logger,
  options: ApplyOptions = {},
): Promise<RestoreOutcome | null> {
  const { dataPath } = config
  dropUnfinished(dataPath)
  if (!isStaged(dataPath)) return null
  const staged = stagedFolder(dataPath)
  // Written by `stageSnapshot`, which checked it.
  const manifest = JSON.parse(readFileSync(manifestIn(staged), 'utf8')) as Manifest
  const done = join(staged, historyDone)
  log.warn({ snapshot: manifest.createdAt }, 'restoring a snapshot')
  let problem: string | null = null
  if (!existsSync(done)) {
    try {
      const waitMs = options.historyWaitMs ?? historyWaitMs
      await withHistory(config, log, waitMs, async (sql) => {
        const removed = await restoreHistory(sql, staged, manifest, options.migrations)
        if (removed > 0) log.warn({ removed }, 'rows with impossible times were not restored')
      })
      writeFileSync(done, '')
    } catch (error) {
      problem = errorText(error)
    }
  }
  if (problem === null) swapFiles(dataPath)
  const at = new Date().toISOString()
  const outcome = { at, snapshotAt: manifest.createdAt, problem }
  lastRestore.write(dataPath, outcome)
  // First of all: the folder without it is a rest.
  rmSync(manifestIn(staged), { force: true })
  rmSync(staged, { recursive: true, force: true })
  if (problem === null) log.warn({ snapshot: manifest.createdAt }, 'the snapshot was restored')
  else log.error({ reason: problem }, 'the snapshot was not restored; everything is as it was')
  return outcome
}
