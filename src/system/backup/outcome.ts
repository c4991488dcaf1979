import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecretFile } from '../../core/lib/secret-file.ts'

/** Where snapshots are kept. */
export const backupFolder = (dataPath: string): string => join(dataPath, 'backups')

/** Facts in a file beside the snapshots, because a restore replaces every database. */
const note = <T>(name: string) => ({
  write: (dataPath: string, value: T): void =>
    writeSecretFile(join(backupFolder(dataPath), name), JSON.stringify(value)),
  /** Null: it never happened here. */
  read(dataPath: string): T | null {
    try {
      // Written above, as a whole.
      return JSON.parse(readFileSync(join(backupFolder(dataPath), name), 'utf8')) as T
    } catch {
      return null
    }
  },
})

/** How the last restore ended. */
export interface RestoreOutcome {
  at: string
  /** When the snapshot was made. */
  snapshotAt: string
  /** Null: everything was restored. */
  problem: string | null
}
export const lastRestore = note<RestoreOutcome>('last-restore.json')

/** What preceded the last update of the history. */
interface UpdateNote {
  at: string
  /** Newest migration of the program that wrote this. */
  newest: number
  /** Name of the snapshot; null without one. */
  snapshot: string | null
  /** Why there is none although the history was changed; null otherwise. */
  problem: string | null
}
export const lastUpdate = note<UpdateNote>('last-update.json')
