import { Database } from 'bun:sqlite'
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
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { extract, type Extract } from 'tar-stream'
import { openCache } from '../../../db/cache/open.ts'
import { openCatalog } from '../../../db/catalog/open.ts'
import { knownMigrations } from '../../../db/history/migrate.ts'
import { openHot } from '../../../db/hot/open.ts'
import { quickCheck } from '../../../db/damage.ts'
import { MigrationError } from '../../../db/migrate-sqlite.ts'
import { openState } from '../../../db/state/open.ts'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import {
  isOwnName,
  snapshotFormat,
  type Manifest,
  type SqliteName,
  type StageProgress,
  type StageRequest,
} from './contract.ts'
import { freeBytes, requireSpace } from './space.ts'

/** Complete and checked: the next start puts it in place. */
export const stagedFolder = (dataPath: string): string => join(dataPath, 'restore')

const reportMs = 250
/** Larger ones are no manifest. */
const manifestBytesMax = 1024 * 1024
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

async function contentOf(entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const isManifest = (value: unknown): value is Manifest =>
  typeof value === 'object' &&
  value !== null &&
  'format' in value &&
  'sqlite' in value &&
  Array.isArray(value.sqlite) &&
  'history' in value &&
  typeof value.history === 'object'

/** Throws when the snapshot is not one, or is newer than this program. */
function readManifest(content: Buffer): Manifest {
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    throw new SnapshotRefused('This file is not a snapshot of Larder')
  }
  if (!isManifest(value)) throw new SnapshotRefused('This file is not a snapshot of Larder')
  const known = knownMigrations()
  const { migrations } = value.history
  const isOlder = migrations.every((when, index) => known[index] === when)
  if (value.format > snapshotFormat || !isOlder) {
    throw new SnapshotRefused(
      `This snapshot was made by version ${value.version} of Larder, which is newer: update first`,
    )
  }
  return value
}

/** Where an entry goes: parts of one file or table are joined. */
const placeOf = (folder: string, name: string): string =>
  join(folder, name.replace(/^(sqlite|history)\/([^/]+)\/\d{6}$/, '$1/$2'))

async function unpackEntry(entry: Entry, folder: string): Promise<void> {
  const path = placeOf(folder, entry.header.name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  for await (const chunk of entry as AsyncIterable<Buffer>) {
    appendFileSync(path, chunk, { mode: 0o600 })
  }
}

function checkEntry({ header }: Entry, isFirst: boolean, leftBytes: number): void {
  const { name, type, size } = header
  if (
    type !== 'file' ||
    !entryNames.some((form) => form.test(name)) ||
    isFirst !== (name === 'manifest.json')
  ) {
    throw new SnapshotRefused('This file is not a snapshot of Larder')
  }
  if (isFirst && size > manifestBytesMax) {
    throw new SnapshotRefused('This file is not a snapshot of Larder')
  }
  if (size > leftBytes) throw new SnapshotRefused('The disk of the data folder is too small for it')
}

interface Unpacking {
  folder: string
  /** Called before each entry, with the bytes read of the packed file. */
  each: (bytes: number) => void
}

/** Unpacks all entries; throws when the file is damaged, incomplete or not a snapshot. */
async function unpack(file: string, { folder, each }: Unpacking): Promise<Manifest> {
  const archive = extract()
  const source = createReadStream(file)
  const flowing = pipeline(source, createZstdDecompress(), archive)
  // Reported below, when the entries end.
  flowing.catch(() => {})
  let manifest: Manifest | null = null
  let isComplete = false
  let leftBytes = freeBytes(folder)
  for await (const entry of archive) {
    each(source.bytesRead)
    checkEntry(entry, manifest === null, leftBytes)
    leftBytes -= entry.header.size ?? 0
    if (manifest === null) manifest = readManifest(await contentOf(entry))
    else if (entry.header.name === 'end.json') isComplete = true
    else if (isOurs(entry.header.name)) await unpackEntry(entry, folder)
    entry.resume()
  }
  await flowing
  if (manifest === null || !isComplete) throw new SnapshotRefused('The snapshot is incomplete')
  return manifest
}

/** Reads only the beginning of a file. Throws when it is not a snapshot, or is too new. */
export async function inspectSnapshot(file: string): Promise<Manifest> {
  const archive = extract()
  const source = createReadStream(file)
  const flowing = pipeline(source, createZstdDecompress(), archive)
  flowing.catch(() => {})
  try {
    for await (const entry of archive) {
      checkEntry(entry, true, manifestBytesMax)
      return readManifest(await contentOf(entry))
    }
    throw new SnapshotRefused('This file is not a snapshot of Larder')
  } catch (error) {
    throw readable(error)
  } finally {
    source.destroy()
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
  { file, dataPath }: StageRequest,
  context: JobContext<StageProgress>,
): Promise<Manifest> {
  const folder = `${stagedFolder(dataPath)}.new`
  if (existsSync(stagedFolder(dataPath))) throw new SnapshotRefused('A restore is being prepared')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const totalBytes = statSync(file).size
  try {
    requireSpace(folder, totalBytes * usualRatio)
    const isDue = pace(reportMs)
    const each = (bytes: number) => {
      if (context.isCancelled()) throw new SnapshotRefused('The restore was cancelled')
      if (isDue()) context.progress({ bytes, totalBytes })
    }
    const manifest = await unpack(file, { folder, each })
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
