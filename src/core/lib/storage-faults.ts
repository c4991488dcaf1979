import { SQLiteError } from 'bun:sqlite'

/** Result codes that mean "this file cannot be written now", see sqlite.org/rescode.html. */
const storageCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY)/
/** Errors wrap each other a few times at most. */
const causesMax = 5

/** Whether a request failed because a local file cannot be written. */
export function isStorageFault(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < causesMax && current instanceof Error; depth++) {
    if (current instanceof SQLiteError && storageCodes.test(current.code ?? '')) return true
    current = current.cause
  }
  return false
}

/** Whether the disk took the write: what has to go on without it, such as the message about it, does. */
export function isWritten(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    if (!isStorageFault(error)) throw error
    return false
  }
}
