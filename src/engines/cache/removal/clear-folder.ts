import { lstat, mkdtemp, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dirent } from 'node:fs'
import { hasCode } from '../index/tree.ts'

/** Folders of a cache are two levels deep; what is deeper is not the proxy's. */
const depthMax = 4
/** A piece that the proxy is writing at the moment; it is renamed when it is whole. */
const temporaryName = /^[0-9a-f]{32}\.\d{10}$/

/** Of one first-level directory. */
export interface FolderCleared {
  filesDeleted: number
  bytesDeleted: number
  entriesLeft: number
  directories: number
  /** Time for listing and removing directories, milliseconds. */
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
  keepsFolders: boolean
  /** Number of the tree's file system; what is mounted below it is left alone. */
  device: number
  /** Whether no further file may be touched. */
  isOver(): boolean
}

export function noteProblem(sum: FolderCleared, error: unknown, path: string): void {
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
  emptying: Emptying,
  sum: FolderCleared,
  depth = 1,
): Promise<void> {
  let entries: Dirent[]
  const listMs = performance.now()
  try {
    entries = await readdir(path, { withFileTypes: true })
  } catch (error) {
    noteProblem(sum, error, path)
    return
  }
  sum.directories++
  sum.directoryMs += performance.now() - listMs
  for (const { name } of entries) {
    if (emptying.isOver()) return
    const inner = join(path, name)
    // The kind in the list may be unknown or old: what is deleted is looked at itself.
    const stats = await lstat(inner).catch(() => null)
    if (stats === null) continue
    const isFolder = stats.isDirectory() && depth < depthMax
    if (stats.isDirectory() && stats.dev !== emptying.device) sum.entriesLeft++
    else if (isFolder) await emptyFolder(inner, emptying, sum, depth + 1)
    else if (!stats.isFile() || temporaryName.test(name)) sum.entriesLeft++
    else await removeFile(inner, stats.size, sum)
    if (sum.problem !== null) return
  }
  if (emptying.keepsFolders || emptying.isOver()) return
  await removeFolder(path, sum)
}

/** The proxy may have stored something there meanwhile, or a link is in it: then it stays. */
async function removeFolder(path: string, sum: FolderCleared): Promise<void> {
  const startMs = performance.now()
  try {
    await rmdir(path)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) noteProblem(sum, error, path)
  }
  sum.directoryMs += performance.now() - startMs
}

async function removeFile(path: string, bytes: number, sum: FolderCleared): Promise<void> {
  try {
    await unlink(path)
    sum.filesDeleted++
    sum.bytesDeleted += bytes
  } catch (error) {
    noteProblem(sum, error, path)
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

/** As the first of the handed-on files arrives in the child. */
const handedOn = '/proc/self/fd/3/'
const temporaryGlob = `${'?'.repeat(32)}.${'[0-9]'.repeat(10)}`

/**
 * Lets `rsync` mirror an empty folder over an opened one, then removes it. The folder is handed on
 * open, so that nothing that is put in its place meanwhile is emptied instead. Links go, what they
 * lead to is never looked at. Answers in `sum` how many files went, after `rsync`.
 */
export async function mirrorEmpty(
  empty: string,
  folder: { path: string; file: number },
  sum: FolderCleared,
): Promise<void> {
  const { path, file } = folder
  const options = ['--archive', '--delete', '--one-file-system', '--stats', '--no-human-readable']
  const rsync = Bun.spawn(
    ['env', 'LC_ALL=C', 'rsync', ...options, `--exclude=${temporaryGlob}`, `${empty}/`, handedOn],
    { stdio: ['ignore', 'pipe', 'pipe', file] },
  )
  const [report, text] = await Promise.all([
    new Response(rsync.stdout).text(),
    new Response(rsync.stderr).text(),
  ])
  sum.filesDeleted += Number(/deleted files: \d+ \(.*?reg: (\d+)/.exec(report)?.[1] ?? 0)
  if ((await rsync.exited) !== 0) {
    if (/Permission denied|Operation not permitted|Read-only/.test(text)) sum.permissionErrors++
    sum.problem ??= `rsync could not empty ${path}: ${text.trim().slice(0, 200)}`
    return
  }
  await removeFolder(path, sum)
}
