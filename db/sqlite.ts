import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import { closeToOthers } from '../src/core/lib/secret-file.ts'

/**
 * Every file contains private data: hashes, addresses, requested URLs. SQLite gives new journals
 * the mode of their file; those left by an earlier run are closed, too.
 */
function closeFiles(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600))
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(`${path}${suffix}`)) closeToOthers(`${path}${suffix}`)
  }
}

/**
 * Opens a SQLite file with our settings: WAL, a busy timeout (the default of zero fails most
 * concurrent writes), foreign keys on. Every file has exactly one writer; readers pass `readonly`.
 */
export function openSqlite(path: string, options: { readonly?: boolean } = {}): Database {
  const readonly = options.readonly ?? false
  const mode = readonly ? { readonly: true } : { create: true, readwrite: true }
  if (!readonly) closeFiles(path)
  const database = new Database(path, { strict: true, ...mode })
  database.run('PRAGMA busy_timeout = 5000')
  if (!readonly) {
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = NORMAL')
    // Keeps the write-ahead log from growing without bound while a reader stays open.
    database.run('PRAGMA journal_size_limit = 67108864')
  }
  database.run('PRAGMA foreign_keys = ON')
  return database
}
