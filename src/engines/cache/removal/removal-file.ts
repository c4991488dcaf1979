import { lstatSync, rmdirSync, unlinkSync, type Stats } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderMoved, type OpenFolder } from '../../../core/lib/open-folder.ts'
import { fingerprintOf } from '../format/fingerprint.ts'
import { readHeadFile, readHeadFileLater, type HeadOutcome } from '../format/head-file.ts'
import { isToldByHost } from '../index/host-titles.ts'
import { KeyReader } from '../index/identify.ts'
import { digestOf, dirName } from '../format/key.ts'
import type { WantedFile } from './removal-rows.ts'
import { hasCode } from '../index/tree.ts'
import { TreePlace } from '../index/tree-place.ts'

/** What became of one file; `problem` is fit for people. */
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

/** Takes files out of one tree that is held open; each is looked at again right before. */
export class TreeRemover {
  readonly #place: TreePlace
  readonly #keys = new KeyReader()
  /** The hash directories of the files under way, or why one cannot be entered. */
  readonly #folders = new Map<number, OpenFolder | FileVerdict>()

  /** `path`: canonical, as the index has it. Throws TreeProblem when it leads elsewhere now. */
  constructor(path: string) {
    this.#place = new TreePlace(path)
  }

  /** Call before and after every slice. Throws TreeProblem when the disk went away or changed. */
  check(): void {
    this.#place.check()
  }

  /** Lets go of the hash directories. Call when no file is under way. */
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

  /** The same without holding up the thread, for disks that answer slowly. Never rejects. */
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

  /** Removes a hash directory, and the one above it, if nothing is in them. Answers how many. */
  removeEmpty(dir: number): number {
    const [first, second] = namesOf(dir)
    const root = this.#place.folder
    let count = 0
    try {
      const parent = root.child(first)
      try {
        rmdirSync(parent.pathOf(second))
        count++
      } finally {
        parent.close()
      }
      rmdirSync(root.pathOf(first))
      count++
    } catch {
      // The proxy stored something there meanwhile, or it may not be removed: it stays.
    }
    return count
  }

  #pathOf({ dir, digest }: WantedFile): string {
    return join(this.#place.path, dirName(dir), digest)
  }

  /** Opened by way of the root that is held open; no link is followed on the way. */
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

  /** What has been moved away, with its root or without, is no longer part of the tree. */
  #isInPlace(folder: OpenFolder, dir: number): boolean {
    const root = this.#place.folder
    return root.isAt(this.#place.path) && folder.isAt(root.pathOf(dirName(dir)))
  }

  /** Null: it is the file that the index knows, and may go. */
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
    // A title that only logs tell is not in the key; the key has to be the one that was indexed.
    const isTitle = isToldByHost(titleKey)
      ? digestOf(head.key) === file.digest
      : identity.titleKey === titleKey
    return isTitle ? null : changed
  }
}

const namesOf = (dir: number): [first: string, second: string] => {
  const name = dirName(dir)
  return [name.slice(0, 2), name.slice(3)]
}

/** The name may stand for another file since its head was read. */
const isAsJudged = (file: WantedFile, stats: Stats): boolean =>
  fingerprintOf(stats).inode === file.inode && stats.isFile()

function refusedBy(error: unknown, path: string): FileVerdict {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return missing
  if (hasCode(error, ...denials)) return deniedProblem(path)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return { kind: 'failed', problem: `${path} could not be removed (${code})` }
}
