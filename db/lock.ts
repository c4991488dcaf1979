import { Database } from 'bun:sqlite'

/** Another living process holds the lock. */
export class LockHeld extends Error {}

/** An unreferenced database is garbage-collected and closed, and its lock with it. */
const held = new Set<Database>()

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'

/**
 * Holds a lock until the returned function is called or the process ends. The lock is an open
 * transaction on a small SQLite file: the kernel knows its owner, so it works across containers
 * that share the folder and leaves nothing behind. Throws LockHeld.
 */
export function holdLock(path: string): () => void {
  const file = new Database(path, { create: true })
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin immediate')
  } catch (cause) {
    file.close()
    if (isBusy(cause)) throw new LockHeld(path, { cause })
    throw cause
  }
  held.add(file)
  return () => {
    held.delete(file)
    file.close()
  }
}
