import { SQLiteError, type Database } from 'bun:sqlite'
import { basename } from 'node:path'

/** A SQLite file is damaged and cannot be rebuilt without asking the owner. */
export class DamagedStore extends Error {
  /** What the owner can do. */
  readonly advice: string

  constructor(path: string, advice: string, cause: unknown) {
    super(`${path} is damaged`, { cause })
    this.advice = advice
  }
}

/** Whether SQLite reported the file as damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code ?? '')

/** The same for an error that crossed a thread as text. */
export const isDamageText = (text: string): boolean =>
  text.includes('database disk image is malformed') || text.includes('file is not a database')

/** Reads all pages of the file, about a gigabyte a second; throws SQLite's error. */
export function quickCheck(database: Database): void {
  const [row] = database.query('PRAGMA quick_check(1)').all() as { quick_check: string }[]
  if (row?.quick_check === 'ok') return
  throw Object.assign(new Error(row?.quick_check ?? 'no answer'), { isDamage: true })
}

const isFound = (error: unknown): boolean =>
  isDamage(error) || (error instanceof Error && 'isDamage' in error)

/** The files of a store, as SQLite names them. */
export const filesOf = (path: string): string[] => ['', '-wal', '-shm'].map((end) => path + end)

/** Runs `open`; turns damage into a DamagedStore with the advice, and rethrows other errors. */
export function orDamaged<T>(path: string, advice: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const cause = error instanceof Error && isDamage(error.cause) ? error.cause : error
    if (!isFound(cause)) throw error
    throw new DamagedStore(path, advice, cause)
  }
}

/** Advice for a store that is rebuilt from the logs when its files are gone. */
export const moveAside = (path: string): string =>
  filesOf(path)
    .map((file) => basename(file))
    .join(', ')
