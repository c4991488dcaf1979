import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock, LockHeld } from '../../../db/lock.ts'
import { closeToOthers } from '../lib/secret-file.ts'
import { StartRefused } from './start-refused.ts'

/**
 * Takes the data folder for this process: two services would read every log line twice. Resolves
 * to what gives it back. Throws StartRefused when another service has it or it cannot be written.
 */
export function lockDataFolder(dataPath: string): () => void {
  try {
    mkdirSync(dataPath, { recursive: true, mode: 0o700 })
    // Where Postgres runs as another user, its start lets that user pass through again.
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
