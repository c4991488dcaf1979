import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSameFile, fingerprintOf, type Fingerprint } from '../format/fingerprint.ts'
import { hasCode } from '../index/tree.ts'
import {
  hashName,
  isInPlace,
  isNoFolder,
  isOfFolder,
  openBelow,
  type HashFolder,
} from './hash-folder.ts'
import { isCacheFile } from './cache-file-check.ts'

/** Of one first-level directory. */
export interface FolderCleared {
  filesDeleted: number
  bytesDeleted: number
  entriesLeft: number
  directories: number
  /** Time for listing and removing directories, in milliseconds. */
  directoryMs: number
  permissionErrors: number
  problem: string | null
}

export const nothingCleared = (): FolderCleared => ({
  filesDeleted: 0,
  bytesDeleted: 0,
  entriesLeft: 0,
  directories: 0,
  directoryMs: 0,
  permissionErrors: 0,
  problem: null,
})

interface Emptying {
  /** Levels of hash folders above the files. */
  levels: number
  keepsFolders: boolean
  /** Files of one folder processed in parallel. */
  inFlight: number
  /** Whether to leave all further files alone. */
  isOver(): boolean
  /** Fingerprints of those files whose key the index has verified. */
  judged(names: string[]): ReadonlyMap<string, Fingerprint>
}

function noteProblem(sum: FolderCleared, error: unknown, path: string): void {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return
  const isDenied = hasCode(error, 'EACCES', 'EPERM', 'EROFS')
  if (isDenied) sum.permissionErrors++
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  sum.problem ??= isDenied
    ? `${path} may not be removed; run with the user id of the proxy (PUID and PGID)`
    : `${path} could not be removed (${code})`
}

/**
 * Deletes the cache files below a hash folder, and the folder itself unless folders are kept or it
 * contains other hash folders. nginx creates missing folders from the top and breaks off the
 * download when one of them vanishes before the next exists; only the last one it creates again
 * (`ngx_create_temp_file`).
 */
export async function emptyFolder(
  parent: HashFolder,
  name: string,
  { emptying, sum }: { emptying: Emptying; sum: FolderCleared },
): Promise<void> {
  let at: HashFolder
  try {
    at = openBelow(parent, name)
  } catch (error) {
    if (isNoFolder(error)) sum.entriesLeft++
    else noteProblem(sum, error, join(parent.path, name))
    return
  }
  try {
    await emptyOpened(at, emptying, sum)
  } catch (error) {
    noteProblem(sum, error, at.path)
  } finally {
    at.folder.close()
  }
  const isLast = at.names.length === emptying.levels
  const isKept = emptying.keepsFolders || emptying.isOver() || sum.problem !== null
  if (isLast && !isKept) await removeFolder(parent, name, sum)
}

async function emptyOpened(at: HashFolder, emptying: Emptying, sum: FolderCleared): Promise<void> {
  const startMs = performance.now()
  const names = await readdir(at.folder.pathOf(''))
  sum.directories++
  sum.directoryMs += performance.now() - startMs
  if (at.names.length === emptying.levels) {
    await removeCacheFiles(at, names, { emptying, sum })
    return
  }
  for (const name of names) {
    if (emptying.isOver() || sum.problem !== null) return
    if (hashName.test(name)) await emptyFolder(at, name, { emptying, sum })
    else sum.entriesLeft++
  }
}

async function removeCacheFiles(
  at: HashFolder,
  names: string[],
  { emptying, sum }: { emptying: Emptying; sum: FolderCleared },
): Promise<void> {
  const cacheFiles = names.filter((name) => isOfFolder(name, at))
  sum.entriesLeft += names.length - cacheFiles.length
  if (cacheFiles.length === 0) return
  const judged = emptying.judged(at.names)
  for (let next = 0; next < cacheFiles.length; next += emptying.inFlight) {
    // The folder is held open: if it was moved, its replacement is not touched.
    if (emptying.isOver() || sum.problem !== null || !isInPlace(at)) return
    const some = cacheFiles.slice(next, next + emptying.inFlight)
    await Promise.all(
      some.map((name) => removeCacheFile(at, name, { sum, known: judged.get(name) })),
    )
  }
}

/** Never rejects: the folder may be closed only after all of them have ended. */
async function removeCacheFile(
  at: HashFolder,
  name: string,
  { known, sum }: { known: Fingerprint | undefined; sum: FolderCleared },
): Promise<void> {
  const path = at.folder.pathOf(name)
  try {
    const stats = await lstat(path)
    const isJudged = known !== undefined && isSameFile(known, fingerprintOf(stats))
    if (stats.isFile() && (isJudged || (await isCacheFile(path, name)))) {
      await unlink(path)
      sum.filesDeleted++
      sum.bytesDeleted += stats.size
    } else sum.entriesLeft++
  } catch (error) {
    // A link or a socket has taken the name in the meantime.
    if (hasCode(error, 'ELOOP', 'ENXIO')) sum.entriesLeft++
    else noteProblem(sum, error, join(at.path, name))
  }
}

/** Removes a folder, unless the proxy has stored something in it since or it holds a link. */
async function removeFolder(parent: HashFolder, name: string, sum: FolderCleared): Promise<void> {
  const startMs = performance.now()
  try {
    await rmdir(parent.folder.pathOf(name))
  } catch (error) {
    const isLeft = hasCode(error, 'ENOTEMPTY', 'EEXIST')
    if (!isLeft) noteProblem(sum, error, join(parent.path, name))
  }
  sum.directoryMs += performance.now() - startMs
}
