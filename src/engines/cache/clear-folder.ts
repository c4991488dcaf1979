import { lstat, mkdtemp, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dirent } from 'node:fs'
import { hasCode } from './tree.ts'

/** Folders of a cache are two levels deep; what is deeper is not the proxy's. */
const depthMax = 4

/** Of one first-level directory. */
interface FolderCleared {
  filesDeleted: number
  bytesDeleted: number
  entriesLeft: number
  permissionErrors: number
  problem: string | null
}

export const nothingCleared = (): FolderCleared => ({
  filesDeleted: 0,
  bytesDeleted: 0,
  entriesLeft: 0,
  permissionErrors: 0,
  problem: null,
})

function note(sum: FolderCleared, error: unknown, path: string): void {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return
  const isDenied = hasCode(error, 'EACCES', 'EPERM', 'EROFS')
  if (isDenied) sum.permissionErrors++
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  sum.problem ??= isDenied
    ? `${path} may not be removed; run with the user id of the proxy (PUID and PGID)`
    : `${path} could not be removed (${code})`
}

/** Deletes the files below a folder, and the folders themselves unless they are kept. */
export async function emptyFolder(
  path: string,
  { keepsFolders }: { keepsFolders: boolean },
  sum: FolderCleared,
  depth = 1,
): Promise<void> {
  let entries: Dirent[]
  try {
    entries = await readdir(path, { withFileTypes: true })
  } catch (error) {
    note(sum, error, path)
    return
  }
  for (const entry of entries) {
    const inner = join(path, entry.name)
    // The kind in the list may be unknown or old: what is deleted is looked at itself.
    const stats = await lstat(inner).catch(() => null)
    if (stats === null) continue
    if (stats.isDirectory() && depth < depthMax) {
      await emptyFolder(inner, { keepsFolders }, sum, depth + 1)
    } else if (stats.isFile()) await removeFile(inner, stats.size, sum)
    else sum.entriesLeft++
    if (sum.problem !== null) return
  }
  if (keepsFolders) return
  try {
    await rmdir(path)
  } catch (error) {
    // The proxy stored something there meanwhile, or a link is in it: it stays.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) note(sum, error, path)
  }
}

async function removeFile(path: string, bytes: number, sum: FolderCleared): Promise<void> {
  try {
    await unlink(path)
    sum.filesDeleted++
    sum.bytesDeleted += bytes
  } catch (error) {
    note(sum, error, path)
  }
}

/** Runs `work` with an empty folder that is gone afterwards. */
export async function withEmptyFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'larder-empty-'))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** Lets `rsync` mirror an empty folder over one, then removes it. What it did is not counted. */
export async function mirrorEmpty(empty: string, path: string, sum: FolderCleared): Promise<void> {
  const rsync = Bun.spawn(['rsync', '-a', '--delete', `${empty}/`, `${path}/`], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const text = await new Response(rsync.stderr).text()
  if ((await rsync.exited) !== 0) {
    if (/Permission denied|Operation not permitted|Read-only/.test(text)) sum.permissionErrors++
    sum.problem ??= `rsync could not empty ${path}: ${text.trim().slice(0, 200)}`
    return
  }
  await rmdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) note(sum, error, path)
  })
}
