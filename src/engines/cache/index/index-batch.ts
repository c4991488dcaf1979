import type { Phrase } from '../../../core/lib/phrases.ts'
import { addSample, type ContentName } from './samples.ts'
import { noCounts, type WalkCounts } from './directory-pass.ts'
import type { Identity } from './identify.ts'
import type { FileRow, Total } from './rows.ts'

/** Numbers per file in `IndexBatch.files`, as the index stores them; the first is a content. */
export const fileFields = 13
/** A file whose key could not be read. */
export const noContent = -1

/** Contents cached by a reader before all are dropped; after that they are sent again. */
const rememberedMax = 20_000
const firstRows = 1024

/** A content of files in a batch, with paths that are among its shortest so far. */
export interface FoundContent extends ContentName {
  samples: string[]
  /** Sums of its files in the batch. */
  total: Total
}

export interface FoundDirectory {
  dir: number
  outcome: 'read' | 'gone' | 'failed'
  mtimeMs: number
  files: number
  bytes: number
  /** The next walk must read this directory again. */
  isUnsettled: boolean
  /** Number of the batch's files in this directory; they follow those of the previous one. */
  rows: number
}

/** What was found in directories that the index does not know. Made to cross threads. */
export interface IndexBatch {
  counts: WalkCounts
  directories: FoundDirectory[]
  /** `fileFields` numbers per file, directory by directory. */
  files: Float64Array<ArrayBuffer>
  /** 16 bytes per file. */
  digests: Uint8Array<ArrayBuffer>
  contents: FoundContent[]
  /** Problem of the first directory that could not be read. */
  problem: Phrase | null
  tookMs: number
}

/** The batch's buffers, which are transferred instead of copied. */
export const buffersOf = ({ files, digests }: IndexBatch): ArrayBuffer[] => [
  files.buffer,
  digests.buffer,
]

interface Known {
  samples: string[]
  /** Its entry in the last batch that contained it, and the position there. */
  found: FoundContent | null
  place: number
}

/** Builds batches; long-lived, because it reuses its buffers. */
export class BatchBuilder {
  #files = new Float64Array(firstRows * fileFields)
  #digests = Buffer.alloc(firstRows * 16)
  #rows = 0
  #rowsBefore = 0
  #directories: FoundDirectory[] = []
  #contents: FoundContent[] = []
  readonly #known = new Map<string, Map<string, Known>>()
  #remembered = 0
  counts = noCounts()
  problem: Phrase | null = null

  addFile(row: FileRow, identity: Identity | null): void {
    if (this.#rows * 16 === this.#digests.length) this.#grow()
    this.#digests.write(row.digest, this.#rows * 16, 16, 'hex')
    const files = this.#files
    let at = this.#rows * fileFields
    files[at++] = identity === null ? noContent : this.#placeOf(identity, row)
    files[at++] = row.objectHash
    files[at++] = row.sliceStart
    files[at++] = row.bytes
    files[at++] = row.etagHash
    files[at++] = row.lastModifiedAt
    files[at++] = row.objectBytes
    files[at++] = row.storedAt
    files[at++] = row.inode
    files[at++] = row.mtimeMs
    files[at++] = row.ctimeMs
    files[at++] = row.issues
    files[at] = row.skipped
    this.#rows++
  }

  /** Ends a directory: the files added since the last call are its files. */
  addDirectory(directory: Omit<FoundDirectory, 'rows'>): void {
    this.#directories.push({ ...directory, rows: this.#rows - this.#rowsBefore })
    this.#rowsBefore = this.#rows
  }

  /** Everything added since the last batch. */
  take(tookMs: number): IndexBatch {
    const batch: IndexBatch = {
      counts: this.counts,
      directories: this.#directories,
      files: this.#files.slice(0, this.#rows * fileFields),
      digests: new Uint8Array(this.#digests.subarray(0, this.#rows * 16)),
      contents: this.#contents,
      problem: this.problem,
      tookMs,
    }
    this.#rows = 0
    this.#rowsBefore = 0
    this.#directories = []
    this.#contents = []
    this.counts = noCounts()
    this.problem = null
    return batch
  }

  #placeOf(identity: Identity, { bytes, storedAt }: FileRow): number {
    const { tag, service, titleKey, uri } = identity
    const content = this.#known.get(tag)?.get(titleKey) ?? this.#remember(tag, titleKey)
    let found = this.#contents[content.place]
    if (found === undefined || found !== content.found) {
      const total = { files: 0, bytes: 0, firstAt: storedAt, lastAt: storedAt }
      found = { tag, service, titleKey, samples: [], total }
      content.found = found
      content.place = this.#contents.push(found) - 1
    }
    const { samples, total } = found
    if (addSample(content.samples, uri)) samples.push(uri)
    total.files++
    total.bytes += bytes
    if (storedAt < total.firstAt) total.firstAt = storedAt
    if (storedAt > total.lastAt) total.lastAt = storedAt
    return content.place
  }

  #remember(tag: string, titleKey: string): Known {
    if (this.#remembered >= rememberedMax) {
      this.#known.clear()
      this.#remembered = 0
    }
    const content: Known = { samples: [], found: null, place: 0 }
    const titles = this.#known.get(tag) ?? new Map<string, Known>()
    this.#known.set(tag, titles.set(titleKey, content))
    this.#remembered++
    return content
  }

  #grow(): void {
    const files = new Float64Array(this.#files.length * 2)
    files.set(this.#files)
    this.#files = files
    this.#digests = Buffer.concat([this.#digests, Buffer.alloc(this.#digests.length)])
  }
}
