import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { Value } from '@sinclair/typebox/value'
import { extract, type Extract } from 'tar-stream'
import { openCache } from '../../../db/cache/open.ts'
import { openCatalog } from '../../../db/catalog/open.ts'
import { migrationsFolder } from '../../../db/history/migrate.ts'
import { countedMigrations, knownMigrations } from '../../../db/migrations.ts'
import { openHot } from '../../../db/hot/open.ts'
import { quickCheck } from '../../../db/damage.ts'
import { MigrationError } from '../../../db/migrate-sqlite.ts'
import { openState } from '../../../db/state/open.ts'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import {
  Contents,
  isOwnName,
  Manifest,
  snapshotFormat,
  stagedFolder,
  type SqliteName,
  type StageProgress,
  type StageRequest,
} from './contract.ts'
import { historyTables } from './history-tables.ts'
import { requireSpace, usableBytes } from './space.ts'

const reportMs = 250
/** Larger ones are no manifest. */
const manifestBytesMax = 1024 * 1024
/** Of the list of all parts: a terabyte of data has 40 MB. */
const contentsBytesMax = 64 * 1024 * 1024
const noSnapshot = 'This file is not a snapshot of Larder'
/** How far zstd packs texts and databases at most, as a rule; only for the first look at the disk. */
const usualRatio = 4

/** Every name that a snapshot may contain; anything else ends the restore. */
const entryNames = [
  /^(manifest|end)\.json$/,
  /^sqlite\/(state|hot|cache|catalog)\.sqlite\/\d{6}$/,
  // One name, whatever it is, so that no path leaves its folder.
  /^files\/(security|themes)\/(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u,
  /^history\/[a-z][a-z0-9_]{0,60}\/\d{6}$/,
]

/** Snapshots of earlier versions also hold files that are not Larder's; these are not restored. */
const isOurs = (name: string): boolean => !name.startsWith('files/') || isOwnName(basename(name))

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never

/** The snapshot cannot be used; the message says why. */
class SnapshotRefused extends Error {}

/** Tables that the history has had since its first migration. */
const oldestTables = ['downloads', 'titles', 'traffic']

/** Throws when the snapshot is not one, is newer than this program, or lacks what every one has. */
function readManifest(content: Buffer, migrationsOf = migrationsFolder): Manifest {
  const value = jsonOf(content)
  const { format, version } = (value ?? {}) as Partial<Manifest>
  const tooNew = () =>
    new SnapshotRefused(
      `This snapshot was made by version ${version} of Larder, which is newer: update first`,
    )
  if (typeof format === 'number' && format > snapshotFormat) throw tooNew()
  if (!Value.Check(Manifest, value)) throw new SnapshotRefused(noSnapshot)
  const known = knownMigrations(migrationsOf)
  const migrations = countedMigrations(value.history.migrations, known)
  if (migrations === null) {
    throw new SnapshotRefused(
      `This snapshot was made by version ${version}, before the first release`,
    )
  }
  if (!migrations.every((when, index) => known[index] === when)) throw tooNew()
  const { tables } = value.history
  const names = new Set(tables.map(({ name }) => name))
  const required = migrations.length === known.length ? historyTables : oldestTables
  if (!value.sqlite.includes('state.sqlite') || required.some((name) => !names.has(name))) {
    throw new SnapshotRefused('The snapshot is incomplete')
  }
  return { ...value, history: { ...value.history, migrations } }
}

function jsonOf(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    throw new SnapshotRefused(noSnapshot)
  }
}

/** Where an entry goes: parts of one file or table are joined. */
const placeOf = (folder: string, name: string): string =>
  join(folder, name.replace(/^(sqlite|history)\/([^/]+)\/\d{6}$/, '$1/$2'))

/** Reads an entry, into its file unless the snapshot is only checked; returns its SHA-256. */
async function takeEntry(entry: Entry, folder: string | null): Promise<string> {
  const { name } = entry.header
  const path = folder === null || !isOurs(name) ? null : placeOf(folder, name)
  if (path !== null) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  for await (const chunk of entry as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (path !== null) appendFileSync(path, chunk, { mode: 0o600 })
  }
  return hash.digest('hex')
}

/** Throws unless the archive holds what its last entry lists, and what its manifest needs. */
function checkContents(list: unknown, found: Contents['parts'], manifest: Manifest): void {
  const isListed = Value.Check(Contents, list) && Bun.deepEquals(list.parts, found)
  const databases = found.flatMap(({ name }) => /^sqlite\/([^/]+)\/0{6}$/.exec(name)?.[1] ?? [])
  const tables = new Set(manifest.history.tables.map(({ name }) => name))
  const isNamed = found.every(({ name }) => {
    const table = /^history\/([^/]+)\//.exec(name)?.[1]
    return table === undefined || tables.has(table)
  })
  if (isListed && isNamed && Bun.deepEquals(databases.sort(), [...manifest.sqlite].sort())) return
  throw new SnapshotRefused('The snapshot is incomplete or was changed')
}

function checkEntry({ header }: Entry, isFirst: boolean, leftBytes: number): void {
  const { name, type, size } = header
  const isKnown = entryNames.some((form) => form.test(name))
  const listBytesMax = isFirst ? manifestBytesMax : contentsBytesMax
  const isList = isFirst || name === 'end.json'
  if (
    type !== 'file' ||
    !isKnown ||
    isFirst !== (name === 'manifest.json') ||
    (isList && size > listBytesMax)
  ) {
    throw new SnapshotRefused(noSnapshot)
  }
  if (size > leftBytes) throw new SnapshotRefused('The disk of the data folder is too small for it')
}

interface Unpacking {
  /** Null: the snapshot is only read. */
  folder: string | null
  /** Called before each entry, with the bytes read of the packed file. */
  each: (bytes: number) => void
  migrations?: string | undefined
}

/** Unpacks all entries; throws when the file is damaged, incomplete or not a snapshot. */
async function unpack(file: string, options: Unpacking): Promise<Manifest> {
  const { folder, each, migrations } = options
  const archive = extract()
  const source = createReadStream(file)
  const flowing = pipeline(source, createZstdDecompress(), archive)
  // Reported below, when the entries end.
  flowing.catch(() => {})
  let manifest: Manifest | null = null
  let list: unknown = null
  const found: Contents['parts'] = []
  let leftBytes = folder === null ? Infinity : usableBytes(folder)
  for await (const entry of archive) {
    each(source.bytesRead)
    checkEntry(entry, manifest === null, leftBytes)
    const { name, size: bytes } = entry.header
    leftBytes -= bytes
    if (manifest === null) {
      const content = await buffer(entry)
      manifest = readManifest(content, migrations)
      found.push({ name, bytes, sha256: createHash('sha256').update(content).digest('hex') })
    } else if (name === 'end.json') list = jsonOf(await buffer(entry))
    else found.push({ name, bytes, sha256: await takeEntry(entry, folder) })
    entry.resume()
  }
  await flowing
  if (manifest === null) throw new SnapshotRefused(noSnapshot)
  checkContents(list, found, manifest)
  return manifest
}

/** Reads a whole snapshot. Throws unless it is complete, with a message for the operator. */
export async function checkSnapshot(
  file: string,
  context: JobContext<StageProgress>,
): Promise<void> {
  try {
    await unpack(file, { folder: null, each: followed(file, context) })
  } catch (error) {
    throw readable(error)
  }
}

/** Reports the progress of reading a file, and ends it when it is cancelled. */
function followed(file: string, context: JobContext<StageProgress>) {
  const isDue = pace(reportMs)
  const totalBytes = statSync(file).size
  return (bytes: number) => {
    if (context.isCancelled()) throw new SnapshotRefused('The restore was cancelled')
    if (isDue()) context.progress({ bytes, totalBytes })
  }
}

const openers: Readonly<Record<SqliteName, (folder: string) => { close(): void }>> = {
  'state.sqlite': openState,
  'hot.sqlite': openHot,
  'cache.sqlite': openCache,
  'catalog.sqlite': openCatalog,
}

/** Checks each database and brings it to the newest schema, before anything depends on it. */
function migrateCopies(folder: string, { sqlite }: Manifest): void {
  for (const name of sqlite) {
    try {
      openers[name](join(folder, 'sqlite')).close()
      using database = new Database(join(folder, 'sqlite', name))
      quickCheck(database)
      // One file per database, whatever the journal mode.
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      const isNewer = error instanceof MigrationError && error.message.includes('newer')
      const why = isNewer ? 'was written by a newer version of Larder: update first' : 'is damaged'
      throw new SnapshotRefused(`The database ${name} of this snapshot ${why}`, { cause: error })
    }
  }
}

/** Writes all files to the disk: a power cut must not leave an empty one in place. */
function flush(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = openSync(join(entry.parentPath, entry.name), 'r')
    fsyncSync(file)
    closeSync(file)
  }
}

/** Damage of the archive in words; other errors as they are. */
function readable(error: unknown): Error {
  if (error instanceof SnapshotRefused) return error
  const isOfSystem =
    error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
  if (isOfSystem) return error
  return new SnapshotRefused('The snapshot is damaged or is not one', { cause: error })
}

/**
 * Unpacks a snapshot beside the data, checks it and brings its SQLite files to the newest schema.
 * Nothing that the service uses is touched. Throws errors with a message for the operator.
 */
export async function stageSnapshot(
  { file, dataPath, migrations }: StageRequest,
  context: JobContext<StageProgress>,
): Promise<Manifest> {
  const folder = `${stagedFolder(dataPath)}.new`
  if (existsSync(stagedFolder(dataPath))) throw new SnapshotRefused('A restore is being prepared')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    requireSpace(folder, statSync(file).size * usualRatio)
    const manifest = await unpack(file, { folder, each: followed(file, context), migrations })
    migrateCopies(folder, manifest)
    flush(folder)
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest), { mode: 0o600 })
    renameSync(folder, stagedFolder(dataPath))
    return manifest
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw readable(error)
  }
}
