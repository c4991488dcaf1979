import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** Takes files out of one tree; each is looked at again right before. */
export class TreeRemover {
  readonly #place: TreePlace
  readonly #keys = new KeyReader()
  /** The hash directory that was looked at last; asked again in every slice of work. */
  #lastDir = -1
  #lastState: FileVerdict | null = null

  /** `path`: canonical, as the index has it. Throws TreeProblem when it leads elsewhere now. */
  constructor(path: string) {
    this.#place = new TreePlace(path)
  }

  /** Call before and after every slice. Throws TreeProblem when the disk went away or changed. */
  check(): void {
    this.#lastDir = -1
    this.#place.check()
  }

  remove(file: WantedFile): FileVerdict {
    const folder = this.#folderState(file.dir)
    if (folder !== null) return folder
    const path = this.#pathOf(file)
    const verdict = this.#judge(file, path, readHeadFile(path, file.digest))
    if (verdict !== null) return verdict
    try {
      unlinkSync(path)
      return removed
    } catch (error) {
      return refusedBy(error, path)
    }
  }

  /** The same without holding up the thread, for disks that answer slowly. */
  async removeLater(file: WantedFile): Promise<FileVerdict> {
    const folder = this.#folderState(file.dir)
    if (folder !== null) return folder
    const path = this.#pathOf(file)
    const verdict = this.#judge(file, path, await readHeadFileLater(path, file.digest))
    if (verdict !== null) return verdict
    try {
      await unlink(path)
      return removed
    } catch (error) {
      return refusedBy(error, path)
    }
  }

  /** Removes a hash directory, and the one above it, if nothing is in them. Answers how many. */
  removeEmpty(dir: number): number {
    if (this.#folderState(dir) !== null) return 0
    const folder = join(this.#place.path, dirName(dir))
    this.#lastDir = -1
    let count = 0
    for (const path of [folder, dirname(folder)]) {
      try {
        rmdirSync(path)
        count++
      } catch {
        // The proxy stored something there meanwhile, or it may not be removed: it stays.
        break
      }
    }
    return count
  }

  #pathOf({ dir, digest }: WantedFile): string {
    return join(this.#place.path, dirName(dir), digest)
  }

  /** Null: both levels above a file are real directories. */
  #folderState(dir: number): FileVerdict | null {
    if (dir === this.#lastDir) return this.#lastState
    this.#lastDir = dir
    const folder = join(this.#place.path, dirName(dir))
    this.#lastState = null
    for (const path of [dirname(folder), folder]) {
      let stats
      try {
        stats = lstatSync(path, { throwIfNoEntry: false })
      } catch (error) {
        this.#lastState = refusedBy(error, path)
        break
      }
      if (stats === undefined) this.#lastState = missing
      else if (!stats.isDirectory()) this.#lastState = changed
      if (this.#lastState !== null) break
    }
    return this.#lastState
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

function refusedBy(error: unknown, path: string): FileVerdict {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return missing
  if (hasCode(error, ...denials)) return deniedProblem(path)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return { kind: 'failed', problem: `${path} could not be removed (${code})` }
}
