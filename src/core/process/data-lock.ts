/*
 * One service per data folder and port. `service.lock` is a SQLite file with a transaction held
 * open. The kernel knows the owner, so the lock ends with the process and holds across containers.
 * The port is not shared (`reusePort`), except between the two servers of a certificate that is
 * being renewed. A second service ends with exit code 78.
 */
import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock, LockHeld } from '../../../db/lock.ts'
import { closeToOthers } from '../lib/secret-file.ts'
import { StartRefused } from './start-refused.ts'
import { errorText } from '../lib/error-text.ts'

/** What the service itself opens in its data folder; the rest belongs to Postgres or to somebody else. */
const opened = /\.(?:sqlite|lock)$|^(?:backups|config|security|themes)$/

/** Throws when this process may not change the file or folder, with who owns it. */
function requireAccess(path: string): void {
  const stat = statSync(path)
  const { R_OK, W_OK, X_OK } = constants
  try {
    accessSync(path, R_OK | W_OK | (stat.isDirectory() ? X_OK : 0))
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    if (code !== 'EACCES') throw cause
    const user = `${process.geteuid?.()}:${process.getegid?.()}`
    const text = `${message}. It belongs to ${stat.uid}:${stat.gid}, and Larder runs as ${user}`
    throw new Error(text, { cause })
  }
}

/**
 * Locks the data folder for this process: two services would read every log line twice. Resolves to
 * the function that releases it. Throws StartRefused when another service holds the lock or this
 * process may not write the folder and what an earlier one stored there.
 */
export function lockDataFolder(dataPath: string): () => void {
  try {
    mkdirSync(dataPath, { recursive: true, mode: 0o700 })
    // Where Postgres runs as another user, its start gives that user access again.
    closeToOthers(dataPath)
    // SQLite does not say why, nor which file.
    requireAccess(dataPath)
    for (const name of readdirSync(dataPath)) {
      if (opened.test(name)) requireAccess(join(dataPath, name))
    }
    return holdLock(join(dataPath, 'service.lock'))
  } catch (cause) {
    if (cause instanceof LockHeld) {
      throw new StartRefused(`another Larder uses the data folder ${dataPath}`, { cause })
    }
    const reason = errorText(cause)
    throw new StartRefused(`the data folder ${dataPath} cannot be used: ${reason}`, { cause })
  }
}
