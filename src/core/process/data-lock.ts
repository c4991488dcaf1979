import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock, LockHeld } from '../../../db/lock.ts'
import { closeToOthers } from '../lib/secret-file.ts'
import { StartRefused } from './start-refused.ts'

/**
 * Locks the data folder for this process: two services would read every log line twice. Resolves to
 * the function that releases it. Throws StartRefused when another service holds the lock or the
 * folder is not writable.
 */
export function lockDataFolder(dataPath: string): () => void {
  try {
    mkdirSync(dataPath, { recursive: true, mode: 0o700 })
    // Where Postgres runs as another user, its start gives that user access again.
    closeToOthers(dataPath)
    return holdLock(join(dataPath, 'service.lock'))
  } catch (cause) {
    if (cause instanceof LockHeld) {
      throw new StartRefused(`another Larder uses the data folder ${dataPath}`, { cause })
    }
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartRefused(`the data folder ${dataPath} cannot be used: ${reason}`, { cause })
  }
}
