import type { Database, Statement } from 'bun:sqlite'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { CacheRoot } from '../contract.ts'
import { emptiedMeta } from './emptied-folder.ts'
import { problemMeta } from './problems.ts'
import { fileFields, noContent, type IndexBatch } from './index-batch.ts'
import type { FileRow, KnownFile, RootRow } from './rows.ts'

/** One file of a batch. */
interface FoundRow extends Pick<IndexBatch, 'files' | 'digests'> {
  row: number
  /** The id of each content of the batch. */
  ids: number[]
}

const rootColumns = `id, datasource, path, scheme, slice_bytes AS sliceBytes, state, problem, files,
  bytes, directories, hex_directories AS hexDirectories, walked_at AS walkedAt, walk_ms AS walkMs,
  next_dir AS nextDir`

/** Hash directories whose rows are deleted per step when a tree is dropped. */
const dropDirs = 1024

/** Prepared statements over `cache.sqlite`. One writer: the cache engine's thread. */
export class CacheStore {
  readonly database: Database
  readonly #insertFile: Statement
  readonly #insertFound: Statement
  readonly #known: Statement<KnownFile, [number, number]>
  readonly #putDirectory: Statement
  readonly #goneFile: Statement
  readonly #goneDirectory: Statement
  readonly #setNext: Statement
  readonly #hasFilesIn: Statement<{ found: number }, [number, number]>
  readonly #hasFile: Statement<{ found: number }, [number, number, Uint8Array]>

  constructor(database: Database) {
    this.database = database
    const insert = (digest: string) =>
      database.prepare(
        `INSERT OR REPLACE INTO cache_file (root_id, dir, digest, content_id, object_hash,
           slice_start, bytes, etag_hash, last_modified_at, object_bytes, stored_at, inode, mtime_ms,
           ctime_ms, issues, skipped)
           VALUES (?, ?, ${digest}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
    this.#insertFile = insert('unhex(?)')
    this.#insertFound = insert('?')
    this.#known = database.prepare(
      `SELECT lower(hex(digest)) AS digest, inode, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, bytes,
         issues, skipped FROM cache_file WHERE root_id = ? AND dir = ?`,
    )
    this.#putDirectory = database.prepare(
      `INSERT OR REPLACE INTO cache_directory (root_id, dir, mtime_ms, files, bytes)
         VALUES (?, ?, ?, ?, ?)`,
    )
    this.#goneFile = database.prepare(
      'INSERT OR IGNORE INTO cache_gone (root_id, dir, digest) VALUES (?, ?, unhex(?))',
    )
    this.#goneDirectory = database.prepare(
      `INSERT OR IGNORE INTO cache_gone (root_id, dir, digest)
         SELECT root_id, dir, digest FROM cache_file WHERE root_id = ? AND dir = ?`,
    )
    this.#setNext = database.prepare('UPDATE cache_root SET next_dir = ? WHERE id = ?')
    this.#hasFilesIn = database.prepare(
      'SELECT 1 AS found FROM cache_file WHERE root_id = ? AND dir = ? LIMIT 1',
    )
    this.#hasFile = database.prepare(
      'SELECT 1 AS found FROM cache_file WHERE root_id = ? AND dir = ? AND digest = ?',
    )
  }

  /** One transaction, rolled back when `work` throws. `work` must be synchronous. */
  transaction<T>(work: () => T): T {
    this.database.run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.database.run('COMMIT')
      return result
    } catch (error) {
      // On a full disk SQLite has already rolled back.
      if (this.database.inTransaction) this.database.run('ROLLBACK')
      throw error
    }
  }

  roots(): RootRow[] {
    return this.database
      .query<RootRow, []>(`SELECT ${rootColumns} FROM cache_root ORDER BY id`)
      .all()
  }

  root(id: number): RootRow | null {
    return this.database
      .query<RootRow, [number]>(`SELECT ${rootColumns} FROM cache_root WHERE id = ?`)
      .get(id)
  }

  addRoot(root: CacheRoot & { path: string }): void {
    this.database
      .query(
        `INSERT INTO cache_root (datasource, path, scheme, slice_bytes, state, files, bytes,
           directories, hex_directories, walk_ms, next_dir)
           VALUES (?, ?, ?, ?, 'new', 0, 0, 0, 0, 0, 0)`,
      )
      .run(root.datasource, root.path, root.scheme, root.sliceBytes)
  }

  setRoot(id: number, values: Partial<RootRow>): void {
    const entries = Object.entries(values)
    const sets = entries.map(([name]) => `${toSnakeCase(name)} = ?`).join(', ')
    this.database
      .query(`UPDATE cache_root SET ${sets} WHERE id = ?`)
      .run(...entries.map(([, value]) => value), id)
  }

  /**
   * Drops the rows of a tree that is no longer configured, in steps, so that other jobs can run.
   */
  *dropRoot(id: number): Generator<void> {
    this.transaction(() => {
      this.setRoot(id, { state: 'new', walkedAt: null, nextDir: 0 })
      this.clearGone(id)
      this.database.query('DELETE FROM cache_directory WHERE root_id = ?').run(id)
      this.database.query('DELETE FROM cache_content WHERE root_id = ?').run(id)
      this.database.query('DELETE FROM structural_state WHERE root_id = ?').run(id)
    })
    yield
    const drop = this.database.query(
      'DELETE FROM cache_file WHERE root_id = ? AND dir >= ? AND dir < ?',
    )
    for (let dir = 0; dir < 65_536; dir += dropDirs) {
      drop.run(id, dir, dir + dropDirs)
      yield
    }
    this.database.query('DELETE FROM cache_root WHERE id = ?').run(id)
    this.deleteMeta(`walk:${id}`)
    this.deleteMeta(problemMeta(id))
    this.deleteMeta(emptiedMeta(id))
  }

  known(rootId: number, dir: number): KnownFile[] {
    return this.#known.all(rootId, dir)
  }

  hasFile(rootId: number, dir: number, digest: Uint8Array): boolean {
    return this.#hasFile.get(rootId, dir, digest) !== null
  }

  /** Whether the index holds any file of a tree. */
  hasFiles(rootId: number): boolean {
    const file = this.database.query('SELECT 1 FROM cache_file WHERE root_id = ? LIMIT 1')
    return file.get(rootId) !== null
  }

  hasFilesIn(rootId: number, dir: number): boolean {
    return this.#hasFilesIn.get(rootId, dir) !== null
  }

  insertFile(rootId: number, dir: number, file: FileRow): void {
    this.#insertFile.run(
      rootId,
      dir,
      file.digest,
      file.contentId,
      file.objectHash,
      file.sliceStart,
      file.bytes,
      file.etagHash,
      file.lastModifiedAt,
      file.objectBytes,
      file.storedAt,
      file.inode,
      file.mtimeMs,
      file.ctimeMs,
      file.issues,
      file.skipped,
    )
  }

  /** Inserts a file that another thread read, from a batch. `ids`: its content ids. */
  insertFound(rootId: number, dir: number, found: FoundRow): void {
    const { files, digests, row, ids } = found
    let at = row * fileFields
    const content = files[at++] as number
    this.#insertFound.run(
      rootId,
      dir,
      digests.subarray(row * 16, row * 16 + 16),
      content === noContent ? 0 : ids[content],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at++],
      files[at],
    )
  }

  /** mtime of each hash directory at its last read, by number; -2 where it was never read. */
  directoryTimes(rootId: number): Float64Array {
    const times = new Float64Array(65_536).fill(-2)
    const rows = this.database.query<{ dir: number; mtimeMs: number }, [number]>(
      'SELECT dir, mtime_ms AS mtimeMs FROM cache_directory WHERE root_id = ?',
    )
    for (const { dir, mtimeMs } of rows.iterate(rootId)) times[dir] = mtimeMs
    return times
  }

  putDirectory(
    rootId: number,
    dir: number,
    facts: { mtimeMs: number; files: number; bytes: number },
  ): void {
    this.#putDirectory.run(rootId, dir, facts.mtimeMs, facts.files, facts.bytes)
  }

  markGone(rootId: number, dir: number, digest: string): void {
    this.#goneFile.run(rootId, dir, digest)
  }

  /** Marks every file of a missing hash directory as gone. */
  markDirectoryGone(rootId: number, dir: number): void {
    this.#goneDirectory.run(rootId, dir)
    this.putDirectory(rootId, dir, { mtimeMs: -1, files: 0, bytes: 0 })
  }

  dropDirectory(rootId: number, dir: number): void {
    this.database
      .query('DELETE FROM cache_directory WHERE root_id = ? AND dir = ?')
      .run(rootId, dir)
  }

  /** Hash directories with files marked as gone. */
  markedDirectories(rootId: number): number[] {
    const query = 'SELECT DISTINCT dir FROM cache_gone WHERE root_id = ?'
    return this.database
      .query<{ dir: number }, [number]>(query)
      .all(rootId)
      .map(({ dir }) => dir)
  }

  unmarkDirectory(rootId: number, dir: number): void {
    this.database.query('DELETE FROM cache_gone WHERE root_id = ? AND dir = ?').run(rootId, dir)
  }

  countGone(rootId: number): number {
    const count = this.database.query<{ count: number }, [number]>(
      'SELECT count(*) AS count FROM cache_gone WHERE root_id = ?',
    )
    return count.get(rootId)?.count ?? 0
  }

  /** Files and bytes of a tree, summed over its directories as last read. */
  directorySums(rootId: number): { files: number; bytes: number } {
    const sums = this.database.query<{ files: number; bytes: number }, [number]>(
      `SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes
         FROM cache_directory WHERE root_id = ?`,
    )
    return sums.get(rootId) ?? { files: 0, bytes: 0 }
  }

  /** Deletes files marked as gone from the index, at most `limit`; returns how many. */
  dropGone(rootId: number, limit: number): number {
    const rows = this.database
      .query<{ dir: number; digest: Uint8Array }, [number, number]>(
        'SELECT dir, digest FROM cache_gone WHERE root_id = ? LIMIT ?',
      )
      .all(rootId, limit)
    const file = this.database.query(
      'DELETE FROM cache_file WHERE root_id = ? AND dir = ? AND digest = ?',
    )
    const gone = this.database.query(
      'DELETE FROM cache_gone WHERE root_id = ? AND dir = ? AND digest = ?',
    )
    for (const { dir, digest } of rows) {
      file.run(rootId, dir, digest)
      gone.run(rootId, dir, digest)
    }
    return rows.length
  }

  /** Clears marks that were not confirmed: those directories are read again next time. */
  clearGone(rootId: number): void {
    this.database
      .query(
        `UPDATE cache_directory SET mtime_ms = -1 WHERE root_id = ?1 AND dir IN
           (SELECT dir FROM cache_gone WHERE root_id = ?1)`,
      )
      .run(rootId)
    this.database.query('DELETE FROM cache_gone WHERE root_id = ?').run(rootId)
  }

  /** A file that exists but could not be judged this time: what is known about it stays. */
  setSkipped(rootId: number, dir: number, file: { digest: string; skipped: number }): void {
    this.database
      .query(
        'UPDATE cache_file SET skipped = ? WHERE root_id = ? AND dir = ? AND digest = unhex(?)',
      )
      .run(file.skipped, rootId, dir, file.digest)
  }

  setNextDir(rootId: number, nextDir: number): void {
    this.#setNext.run(nextDir, rootId)
  }

  /** The value given to `setMeta`; null if there is none. */
  meta(key: string): unknown {
    const row = this.database
      .query<{ value: string }, [string]>('SELECT value FROM meta WHERE key = ?')
      .get(key)
    return row === null ? null : JSON.parse(row.value)
  }

  setMeta(key: string, value: unknown): void {
    this.database
      .query('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
      .run(key, JSON.stringify(value))
  }

  deleteMeta(key: string): void {
    this.database.query('DELETE FROM meta WHERE key = ?').run(key)
  }
}
