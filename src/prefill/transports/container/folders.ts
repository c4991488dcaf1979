import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../core/lib/log.ts'
import { socketName } from './options.ts'

/** Folder of a session, below a base path as we or the container engine see it. */
export const sessionFolder = (base: string, sessionId: string) => join(base, 'sessions', sessionId)

/** The daemon's socket as we see it. */
export const socketPath = (base: string, sessionId: string) =>
  join(sessionFolder(base, sessionId), 'responses', socketName)

/**
 * Makes the folders that a container gets. Its daemon may run as any user, so they are writable to
 * all; the folder around them is closed to other users of the machine.
 */
export function makeFolders(base: string, sessionId: string): void {
  const folder = sessionFolder(base, sessionId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const name of ['commands', 'responses']) {
    mkdirSync(join(folder, name), { recursive: true })
    // The mask of the process would narrow a mode given to mkdir.
    chmodSync(join(folder, name), 0o777)
  }
}

/** Removes the folder of a session; what another user keeps there is left and logged. */
export function removeFolders(base: string, sessionId: string, log: Logger): void {
  try {
    rmSync(sessionFolder(base, sessionId), { recursive: true, force: true })
  } catch (error) {
    log.warn({ err: error, sessionId }, 'the folder of a prefill session was not removed')
  }
}
