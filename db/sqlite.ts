import { Database } from 'bun:sqlite'

/**
 * Opens a SQLite file the one way we use it: WAL, a busy time-out (the default of zero fails most
 * concurrent writes), foreign keys on. Every file has exactly one writer; readers pass `readonly`.
 */
export function openSqlite(path: string, options: { readonly?: boolean } = {}): Database {
  const readonly = options.readonly ?? false
  const mode = readonly ? { readonly: true } : { create: true, readwrite: true }
  const database = new Database(path, { strict: true, ...mode })
  database.run('PRAGMA busy_timeout = 5000')
  if (!readonly) {
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = NORMAL')
    // Keeps the write-ahead log from growing without bound beside a long-lived reader.
    database.run('PRAGMA journal_size_limit = 67108864')
  }
  database.run('PRAGMA foreign_keys = ON')
  return database
}
