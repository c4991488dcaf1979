import type { Phrase } from '../../../core/lib/phrases.ts'
import { addSample, type ContentName } from './samples.ts'
import { noCounts, type LookCounts } from './directory-pass.ts'
import type { Identity } from './identify.ts'
import type { FileRow } from './rows.ts'

/** Numbers of a file in `FoundBatch.files`, as the index has them; the first one is a content. */
export const fileFields = 13
/** A file whose key could not be read. */
export const noContent = -1

/** Contents remembered by a reader before all are forgotten; then they are told once more. */
const rememberedMax = 20_000
const firstRows = 1024

/** A content that files of a batch belong to, with paths that are among its shortest so far. */
export interface FoundContent extends ContentName {
  samples: string[]
}

export interface FoundDirectory {
  dir: number
  outcome: 'read' | 'gone' | 'failed'
  mtimeMs: number
  files: number
  bytes: number
  /** Something in there has to be looked at again by the next walk. */
  isUnsettled: boolean
  /** How many of the batch's files, after those of the directories before. */
  rows: number
}

/** What was found in some directories that the index does not know. Made to cross threads. */
export interface FoundBatch {
  counts: LookCounts
  directories: FoundDirectory[]
  /** `fileFields` numbers for each file, one directory after the other. */
  files: Float64Array<ArrayBuffer>
  /** 16 bytes for each file. */
  digests: Uint8Array<ArrayBuffer>
  contents: FoundContent[]
  /** What the first directory that could not be read said. */
  problem: Phrase | null
  tookMs: number
}

/** What a batch is sent with instead of copying it. */
export const buffersOf = ({ files, digests }: FoundBatch): ArrayBuffer[] => [
  files.buffer,
  digests.buffer,
]

interface Known {
  samples: string[]
  /** The batch in which it was met last, and its place there. */
  batch: number
  place: number
}

/** Puts batches together; kept for many of them, because its buffers are used again. */
export class BatchBuilder {
  #files = new Float64Array(firstRows * fileFields)
  #digests = Buffer.alloc(firstRows * 16)
  #rows = 0
  #rowsBefore = 0
  #directories: FoundDirectory[] = []
  #contents: FoundContent[] = []
  #batch = 0
  readonly #known = new Map<string, Map<string, Known>>()
  #remembered = 0
  counts = noCounts()
  problem: Phrase | null = null

  addFile(row: FileRow, identity: Identity | null): void {
    if (this.#rows * 16 === this.#digests.length) this.#grow()
    this.#digests.write(row.digest, this.#rows * 16, 16, 'hex')
    const files = this.#files
    let at = this.#rows * fileFields
    files[at++] = identity === null ? noContent : this.#placeOf(identity)
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

  /** Ends a directory: the files since the last one are its files. */
  addDirectory(directory: Omit<FoundDirectory, 'rows'>): void {
    this.#directories.push({ ...directory, rows: this.#rows - this.#rowsBefore })
    this.#rowsBefore = this.#rows
  }

  /** All that was added since the last batch. */
  take(tookMs: number): FoundBatch {
    const batch: FoundBatch = {
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
    this.#batch++
    this.counts = noCounts()
    this.problem = null
    return batch
  }

  #placeOf(identity: Identity): number {
    const { tag, service, titleKey, uri } = identity
    const content = this.#known.get(tag)?.get(titleKey) ?? this.#remember(tag, titleKey)
    if (content.batch !== this.#batch) {
      content.batch = this.#batch
      content.place = this.#contents.push({ tag, service, titleKey, samples: [] }) - 1
    }
    if (addSample(content.samples, uri)) this.#contents[content.place]?.samples.push(uri)
    return content.place
  }

  #remember(tag: string, titleKey: string): Known {
    if (this.#remembered >= rememberedMax) {
      this.#known.clear()
      this.#remembered = 0
    }
    const content: Known = { samples: [], batch: -1, place: 0 }
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
