import { skipReasons, type SkipReason, type WalkDepth } from '../contract.ts'
import { isSameFile, type Fingerprint } from '../format/fingerprint.ts'
import type { HeadOutcome } from '../format/head-file.ts'
import { issueBits } from '../format/header.ts'
import { hash53 } from '../../../core/lib/hash53.ts'
import type { Identity, KeyReader } from './identify.ts'
import type { FileRow, KnownFile } from './rows.ts'
import type { EntryKind } from './tree.ts'

/** Younger files are indexed but judged by a later walk: they may still be being written. */
export const stableAgeMs = 600_000
const again: readonly SkipReason[] = ['recent', 'changed', 'replaced', 'io_error', 'cancelled']
const skipNumber = (reason: SkipReason): number => skipReasons.indexOf(reason) + 1
const againNumbers = new Set(again.map(skipNumber))

/** Counts of a walk, or of one directory of it. */
export interface WalkCounts {
  filesSeen: number
  headersRead: number
  bytesRead: number
  /** Sparse files among those whose header was read. */
  sparseFiles: number
  added: number
  replaced: number
  links: number
  specialFiles: number
  foreignEntries: number
  temporaryFiles: number
  ioErrors: number
  /** First error of a file, as text. */
  ioError: string | null
}

export const noCounts = (): WalkCounts => ({
  filesSeen: 0,
  headersRead: 0,
  bytesRead: 0,
  sparseFiles: 0,
  added: 0,
  replaced: 0,
  links: 0,
  specialFiles: 0,
  foreignEntries: 0,
  temporaryFiles: 0,
  ioErrors: 0,
  ioError: null,
})

/** A file for the index: with what its key states, or only the reason why it was skipped. */
export type Finding =
  | { kind: 'row'; identity: Identity | null; row: FileRow }
  | { kind: 'skipped'; digest: string; skipped: number }

/** Decides, for one hash directory, which files to read, and which are new, changed or gone. */
export class DirectoryPass {
  readonly #known = new Map<string, KnownFile>()
  readonly #depth: WalkDepth
  readonly #keys: KeyReader
  readonly #nowMs: number
  readonly #counts: WalkCounts
  files = 0
  bytes = 0
  /** The next walk must read this directory again. */
  isUnsettled = false

  constructor(
    known: KnownFile[],
    how: { depth: WalkDepth; keys: KeyReader; nowMs: number; counts: WalkCounts },
  ) {
    for (const file of known) this.#known.set(file.digest, file)
    this.#depth = how.depth
    this.#keys = how.keys
    this.#nowMs = how.nowMs
    this.#counts = how.counts
  }

  /** Counts entries that are never opened; true: a cache file. */
  isCacheFile(kind: EntryKind): boolean {
    if (kind === 'cacheFile') return true
    if (kind === 'link') this.#counts.links++
    else if (kind === 'special') this.#counts.specialFiles++
    else if (kind === 'temporary') this.#counts.temporaryFiles++
    else if (kind === 'foreign') this.#counts.foreignEntries++
    return false
  }

  /** The next step for a file. */
  need(name: string): 'stat' | 'read' {
    const known = this.#known.get(name)
    if (known === undefined || this.#depth === 'headers') return 'read'
    if (againNumbers.has(known.skipped)) return 'read'
    return this.#depth === 'fingerprints' && known.issues !== 0 ? 'read' : 'stat'
  }

  /** Records that the file exists with this fingerprint; true: unchanged. */
  isUnchanged(name: string, fingerprint: Fingerprint): boolean {
    const known = this.#known.get(name)
    if (known === undefined || !isSameFile(known, fingerprint)) return false
    this.#known.delete(name)
    this.#count(fingerprint.bytes)
    return true
  }

  /**
   * What to index after reading a header; null: nothing, because the file is gone or not a file.
   */
  found(name: string, outcome: HeadOutcome): Finding | null {
    if (outcome.kind === 'gone') return null
    if (outcome.kind === 'skipped') return this.#skipped(name, outcome)
    const { head, fingerprint, bytesRead, isSparse } = outcome
    this.#counts.headersRead++
    this.#counts.bytesRead += bytesRead
    if (isSparse) this.#counts.sparseFiles++
    this.#countChange(name)
    this.#count(fingerprint.bytes)
    const isRecent = this.#nowMs - fingerprint.mtimeMs < stableAgeMs
    if (isRecent) this.isUnsettled = true
    const skip = isRecent ? 'recent' : head.skipped
    const identity = head.key === null ? null : this.#keys.read(head.key)
    const row: FileRow = {
      digest: name,
      inode: fingerprint.inode,
      mtimeMs: fingerprint.mtimeMs,
      ctimeMs: fingerprint.ctimeMs,
      bytes: fingerprint.bytes,
      contentId: 0,
      objectHash: identity?.objectHash ?? 0,
      sliceStart: identity?.sliceStart ?? -1,
      etagHash: head.etag === '' ? 0 : hash53(head.etag),
      lastModifiedAt: head.lastModifiedAt,
      objectBytes: head.range === null ? (head.contentLength ?? -1) : (head.range.total ?? -1),
      storedAt: head.storedAt,
      issues: isRecent ? 0 : issueBits(head.issues),
      skipped: skip === null ? 0 : skipNumber(skip),
    }
    return { kind: 'row', identity, row }
  }

  /** Indexed names that are no longer on disk. Call after all entries were seen. */
  gone(): Iterable<string> {
    return this.#known.keys()
  }

  get goneCount(): number {
    return this.#known.size
  }

  #skipped(name: string, outcome: HeadOutcome & { kind: 'skipped' }): Finding | null {
    const { reason, fingerprint, error } = outcome
    if (reason === 'symlink' || reason === 'special_file') {
      this.isCacheFile(reason === 'symlink' ? 'link' : 'special')
      return null
    }
    this.isUnsettled = true
    if (reason === 'io_error') {
      this.#counts.ioErrors++
      this.#counts.ioError ??= `${name}: ${error ?? 'unknown error'}`
    }
    const known = this.#known.get(name)
    this.#countChange(name)
    const skipped = skipNumber(reason)
    if (known !== undefined) {
      this.#count(known.bytes)
      return { kind: 'skipped', digest: name, skipped }
    }
    const print = fingerprint ?? { inode: 0, mtimeMs: 0, ctimeMs: 0, bytes: 0 }
    this.#count(print.bytes)
    const row: FileRow = {
      ...print,
      digest: name,
      contentId: 0,
      objectHash: 0,
      sliceStart: -1,
      etagHash: 0,
      lastModifiedAt: -1,
      objectBytes: -1,
      storedAt: 0,
      issues: 0,
      skipped,
    }
    return { kind: 'row', identity: null, row }
  }

  #count(bytes: number): void {
    this.files++
    this.bytes += bytes
    this.#counts.filesSeen++
  }

  #countChange(name: string): void {
    if (this.#known.delete(name)) this.#counts.replaced++
    else this.#counts.added++
  }
}
