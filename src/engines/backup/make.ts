import { Database } from 'bun:sqlite'
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sql, TransactionSql } from 'postgres'
import { reachClient } from '../../../db/history/connect.ts'
import { describeFailure, failureKind } from '../../../db/history/failures.ts'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import {
  folderNames,
  isOwnName,
  snapshotFormat,
  sqliteNames,
  type Made,
  type MakeProgress,
  type MakeRequest,
  type Manifest,
  type SqliteName,
} from './contract.ts'
import { appliedMigrations } from '../../../db/history/migrate.ts'
import { historyBytes, listOf, quoted, readMonths, readTables } from './history-tables.ts'
import { Packer } from './packer.ts'
import { requireSpace } from './space.ts'

/** A larger file beside the databases is not Larder's. */
const fileBytesMax = 8 * 1024 * 1024
const reportMs = 250
/** So many are named in the log. */
const leftOutMax = 20

/** The cancel button was pressed. */
class Cancelled extends Error {}

const sqliteFolder = ({ sqlitePath, dataPath }: MakeRequest) => sqlitePath ?? dataPath

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

interface Making {
  request: MakeRequest
  context: JobContext<MakeProgress>
  /** Copies of the SQLite files. */
  copies: string
  totalBytes: number
  leftOut: string[]
}

/** A consistent copy while its writer goes on; page by page, so memory stays small. */
function copySqlite({ request, copies }: Making, name: SqliteName): boolean {
  const path = join(sqliteFolder(request), name)
  if (!existsSync(path)) return false
  const target = join(copies, name)
  using database = new Database(path, { readonly: true })
  database.run('PRAGMA busy_timeout = 5000')
  database.query('VACUUM INTO ?').run(target)
  chmodSync(target, 0o600)
  return true
}

/** Jobs that were under way then cannot go on. */
function dropUnfinishedJobs({ copies }: Making): void {
  using state = new Database(join(copies, 'state.sqlite'), { readwrite: true })
  state.run('DELETE FROM operation WHERE finished_at IS NULL')
}

async function manifestOf(
  sql: TransactionSql,
  sqlite: SqliteName[],
  version: string,
): Promise<Manifest> {
  const history = {
    migrations: await appliedMigrations(sql),
    tables: await readTables(sql),
    months: await readMonths(sql),
  }
  const createdAt = new Date().toISOString()
  return { format: snapshotFormat, version, createdAt, sqlite, history }
}

async function packFiles(
  packer: Packer,
  { request, copies, leftOut }: Making,
  names: SqliteName[],
): Promise<void> {
  for (const name of names) {
    await packer.addParts(`sqlite/${name}`, createReadStream(join(copies, name)), () => {})
    rmSync(join(copies, name))
  }
  for (const folder of folderNames) {
    const path = join(request.dataPath, folder)
    const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : []
    for (const { name } of entries.filter((entry) => entry.isFile())) {
      const file = join(path, name)
      if (isOwnName(name) && statSync(file).size <= fileBytesMax) {
        await packer.add(`files/${folder}/${name}`, readFileSync(file))
      } else if (leftOut.length < leftOutMax) leftOut.push(`${folder}/${name}`)
    }
  }
}

/** Everything as of the moment in which the caller held the batches back. */
async function pack(sql: TransactionSql, making: Making): Promise<void> {
  const { request, context, totalBytes } = making
  await sql`set local idle_in_transaction_session_timeout = 0`
  // The first query fixes what the transaction sees.
  await sql`select 1`
  const hasHot = copySqlite(making, 'hot.sqlite')
  context.progress({ phase: 'pinned', bytes: 0, totalBytes })
  const others = sqliteNames.filter((name) => name !== 'hot.sqlite' && copySqlite(making, name))
  const names: SqliteName[] = hasHot ? ['hot.sqlite', ...others] : others
  dropUnfinishedJobs(making)
  const manifest = await manifestOf(sql, names, request.version)
  const packer = new Packer(request.file)
  const isDue = pace(reportMs)
  const report = () => {
    if (context.isCancelled()) throw new Cancelled('The snapshot was cancelled')
    if (isDue()) context.progress({ phase: 'packing', bytes: packer.bytes, totalBytes })
  }
  try {
    await packer.add('manifest.json', Buffer.from(JSON.stringify(manifest)))
    await packFiles(packer, making, names)
    for (const { name, columns } of manifest.history.tables) {
      report()
      const statement = `copy (select ${listOf(columns)} from ${quoted(name)}) to stdout`
      await packer.addParts(`history/${name}`, await sql.unsafe(statement).readable(), report)
    }
    await packer.finish()
  } catch (error) {
    await packer.discard()
    throw error
  }
}

/**
 * Writes a snapshot of all SQLite files, the history, keys and themes. The caller holds batches
 * back until `pinned` is reported. Memory does not depend on the size of the data. Throws errors
 * with a message for the operator, and leaves no file then.
 */
export async function makeSnapshot(
  request: MakeRequest,
  context: JobContext<MakeProgress>,
): Promise<Made> {
  const { file, history } = request
  const folder = dirname(file)
  const copies = `${file}.copies`
  mkdirSync(copies, { recursive: true, mode: 0o700 })
  const options = { name: 'backup', connections: 1, statementTimeoutMs: 0 }
  const leftOut: string[] = []
  let sql: Sql | null = null
  try {
    sql = await reachClient(history, options)
    const sqliteBytes = sqliteNames.reduce(
      (sum, name) => sum + sizeOf(join(sqliteFolder(request), name)),
      0,
    )
    const totalBytes = sqliteBytes + (await historyBytes(sql))
    requireSpace(folder, sqliteBytes + totalBytes)
    context.progress({ phase: 'copying', bytes: 0, totalBytes })
    await sql.begin('isolation level repeatable read read only', (transaction) =>
      pack(transaction, { request, context, copies, totalBytes, leftOut }),
    )
    return { bytes: sizeOf(file), leftOut }
  } catch (error) {
    if (failureKind(error) === 'other') throw error
    throw new Error(describeFailure(error, history), { cause: error })
  } finally {
    await sql?.end({ timeout: 1 })
    rmSync(copies, { recursive: true, force: true })
  }
}
