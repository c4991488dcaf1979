import { lstatSync, rmdirSync, unlinkSync, type Stats } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderMoved, type OpenFolder } from '../../../core/lib/open-folder.ts'
import { fingerprintOf } from '../format/fingerprint.ts'
import { readHeadFile, readHeadFileLater, type HeadOutcome } from '../format/head-file.ts'
import { isTitleOfHost } from '../index/host-titles.ts'
import { KeyReader } from '../index/identify.ts'
import { digestOf, dirName } from '../format/key.ts'
import type { WantedFile } from './removal-rows.ts'
import { hasCode } from '../index/tree.ts'
import { HeldTree } from '../index/held-tree.ts'

/** Result for one file; `problem` may be shown to users. */
export type FileVerdict =
  { kind: 'removed' | 'missing' | 'changed' } | { kind: 'denied' | 'failed'; problem: string }

const removed: FileVerdict = { kind: 'removed' }
const missing: FileVerdict = { kind: 'missing' }
const changed: FileVerdict = { kind: 'changed' }

const denials = ['EACCES', 'EPERM', 'EROFS']
const deniedProblem = (path: string): FileVerdict => ({
  kind: 'denied',
  problem: `${path} may not be removed; run with the user id of the proxy (PUID and PGID)`,
})

/** Removes files of one tree that is held open, and checks each right before its unlink. */
export class TreeRemover {
  readonly #place: HeldTree
  readonly #keys = new KeyReader()
  /** The hash directories of the files in flight, or why one cannot be opened. */
  readonly #folders = new Map<number, OpenFolder | FileVerdict>()

  /** `path`: canonical, as indexed. Throws TreeProblem when it now leads elsewhere. */
  constructor(path: string) {
    this.#place = new HeldTree(path)
  }

  /**
   * Call before and after every slice. Throws TreeProblem when the disk was removed or replaced.
   */
  check(): void {
    this.#place.check()
  }

  /** Closes the hash directories. Call when no file is in flight. */
  release(): void {
    for (const folder of this.#folders.values()) if (!('kind' in folder)) folder.close()
    this.#folders.clear()
  }

  /** Call once, at the end. */
  close(): void {
    this.release()
    this.#place.close()
  }

  remove(file: WantedFile): FileVerdict {
    const folder = this.#folderOf(file.dir)
    if ('kind' in folder) return folder
    const path = this.#pathOf(file)
    const address = folder.pathOf(file.digest)
    const verdict = this.#judge(file, path, readHeadFile(address, file.digest))
    if (verdict !== null) return verdict
    try {
      if (!this.#isInPlace(folder, file.dir)) return changed
      if (!isAsJudged(file, lstatSync(address))) return changed
      unlinkSync(address)
      return removed
    } catch (error) {
      return refusedBy(error, path)
    }
  }

  /** The same without blocking the thread, for slow disks. Never rejects. */
  async removeLater(file: WantedFile): Promise<FileVerdict> {
    const folder = this.#folderOf(file.dir)
    if ('kind' in folder) return folder
    const path = this.#pathOf(file)
    const address = folder.pathOf(file.digest)
    const verdict = this.#judge(file, path, await readHeadFileLater(address, file.digest))
    if (verdict !== null) return verdict
    try {
      if (!this.#isInPlace(folder, file.dir)) return changed
      if (!isAsJudged(file, await lstat(address))) return changed
      await unlink(address)
      return removed
    } catch (error) {
      return refusedBy(error, path)
    }
  }

  /**
   * Removes a hash directory if it is empty, and returns whether it did. Its parent stays, see
   * `emptyFolder`.
   */
  removeEmpty(dir: number): boolean {
    const [first, second] = namesOf(dir)
    try {
      const parent = this.#place.folder.child(first)
      try {
        rmdirSync(parent.pathOf(second))
        return true
      } finally {
        parent.close()
      }
    } catch {
      // The proxy has stored a file there since, or permission is missing: it stays.
      return false
    }
  }

  #pathOf({ dir, digest }: WantedFile): string {
    return join(this.#place.path, dirName(dir), digest)
  }

  /** Opened through the root that is held open, without following links. */
  #folderOf(dir: number): OpenFolder | FileVerdict {
    let folder = this.#folders.get(dir)
    if (folder === undefined) {
      folder = this.#open(dir)
      this.#folders.set(dir, folder)
    }
    return folder
  }

  #open(dir: number): OpenFolder | FileVerdict {
    const [first, second] = namesOf(dir)
    try {
      const parent = this.#place.folder.child(first)
      try {
        return parent.child(second)
      } finally {
        parent.close()
      }
    } catch (error) {
      if (error instanceof FolderMoved || hasCode(error, 'ENOTDIR', 'ELOOP')) return changed
      return refusedBy(error, join(this.#place.path, dirName(dir)))
    }
  }

  /** A folder that was moved, alone or with the root, no longer belongs to the tree. */
  #isInPlace(folder: OpenFolder, dir: number): boolean {
    const root = this.#place.folder
    return root.isAt(this.#place.path) && folder.isAt(root.pathOf(dirName(dir)))
  }

  /** Null: it is the indexed file and may be removed. */
  #judge(file: WantedFile, path: string, outcome: HeadOutcome): FileVerdict | null {
    if (outcome.kind === 'gone') return missing
    if (outcome.kind === 'skipped') {
      const { error, reason } = outcome
      if (reason !== 'io_error') return changed
      if (error !== null && denials.includes(error)) return deniedProblem(path)
      return { kind: 'failed', problem: `${path} could not be read (${error ?? 'unknown error'})` }
    }
    const { fingerprint, head } = outcome
    const isSame =
      fingerprint.inode === file.inode &&
      fingerprint.bytes === file.bytes &&
      fingerprint.mtimeMs === file.mtimeMs
    if (!isSame || head.key === null) return changed
    if (file.content === null) return digestOf(head.key) === file.digest ? null : changed
    const identity = this.#keys.read(head.key)
    const { tag, titleKey } = file.content
    if (identity?.tag !== tag) return changed
    // A title known only from logs is not in the key; the key must be the indexed one.
    const isTitle = isTitleOfHost(titleKey)
      ? digestOf(head.key) === file.digest
      : identity.titleKey === titleKey
    return isTitle ? null : changed
  }
}

const namesOf = (dir: number): [first: string, second: string] => {
  const name = dirName(dir)
  return [name.slice(0, 2), name.slice(3)]
}

/** The name may refer to another file since its header was read. */
const isAsJudged = (file: WantedFile, stats: Stats): boolean =>
  fingerprintOf(stats).inode === file.inode && stats.isFile()

function refusedBy(error: unknown, path: string): FileVerdict {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return missing
  if (hasCode(error, ...denials)) return deniedProblem(path)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return { kind: 'failed', problem: `${path} could not be removed (${code})` }
}
