import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where snapshots are kept. */
export const backupFolder = (dataPath: string): string => join(dataPath, 'backups')

/** How the last restore ended. Kept in a file, because a restore replaces every database. */
export interface RestoreOutcome {
  at: string
  /** When the snapshot was made. */
  snapshotAt: string
  /** Null: everything was restored. */
  problem: string | null
}

const pathIn = (dataPath: string) => join(backupFolder(dataPath), 'last-restore.json')

export function keepOutcome(dataPath: string, outcome: RestoreOutcome): void {
  mkdirSync(backupFolder(dataPath), { recursive: true, mode: 0o700 })
  const path = pathIn(dataPath)
  writeFileSync(`${path}.new`, JSON.stringify(outcome), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Null: nothing was ever restored here. */
export function readOutcome(dataPath: string): RestoreOutcome | null {
  try {
    // Written above, as a whole.
    return JSON.parse(readFileSync(pathIn(dataPath), 'utf8')) as RestoreOutcome
  } catch {
    return null
  }
}
