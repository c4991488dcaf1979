import type { RemovalOutcome, SkipReason, StructuralIssue } from '../contract.ts'
import type { SliceFact } from '../contract.ts'
import type { ObjectRequest } from '../../inputs.ts'

export type { ObjectRequest } from '../../inputs.ts'

/** Result of checking all stored cache files of one object. Plain data: it crosses a thread. */

export interface ObjectFile {
  /** File name: md5 of the key, or of the key and the Vary headers. */
  digest: string
  /** Key as stored in the file; null when it cannot be read. */
  key: string | null
  path: string
  fileBytes: number
  /** First byte and number of the slice; null: stored whole. */
  sliceStart: number | null
  slice: number | null
  /** Stored by the proxy's fallback without slices. */
  isFallback: boolean
  version: number | null
  /** Unix seconds; null if unknown. */
  storedAt: number | null
  validUntil: number | null
  lastModifiedAt: number | null
  etag: string | null
  hasVary: boolean
  httpStatus: number | null
  contentLength: number | null
  contentRange: string | null
  headerStart: number | null
  bodyStart: number | null
  expectedPayloadBytes: number | null
  actualPayloadBytes: number | null
  findings: StructuralIssue[]
  /** Facts in which it disagrees with most other slices. */
  disagreesIn: SliceFact[]
  /** Why it was skipped; null: it was judged. */
  notJudged: SkipReason | null
  isInIndex: boolean
}

/** Numbers of missing slices, both ends included. */
export interface SliceGap {
  first: number
  last: number
}

export interface ObjectReport {
  datasource: string
  keyTag: string
  path: string
  /** Slice size in bytes; 0: objects are stored whole. */
  sliceBytes: number
  /** Length of the object as its cache files state it; null when none does. */
  objectBytes: number | null
  files: ObjectFile[]
  /** More cache files than were checked. */
  isCut: boolean
  /** Slices missing before the last stored one, and those after it. */
  holes: SliceGap[]
  missingAtEnd: SliceGap | null
  storedBytes: number
}

export type ObjectOutcome =
  | { kind: 'read'; report: ObjectReport }
  /** The tree cannot be read, or the format of its keys is unknown; as text. */
  | { kind: 'refused'; problem: string }

/** What happened to the cache files of one object. */
export type PurgeOutcome = Pick<
  RemovalOutcome,
  'state' | 'filesDeleted' | 'bytesFreed' | 'alreadyMissing' | 'filesChanged' | 'problem'
>

/** The main thread's side of inspecting single objects. */
export interface Doctor {
  /** All cache files of an object as they are on disk now; payloads are never read. */
  object(request: ObjectRequest): Promise<ObjectOutcome>
  /** Those of the given tags that hold a cache file of the object; at most 200 tags. */
  tagsOf(request: Omit<ObjectRequest, 'tag'>, tags: string[]): Promise<string[]>
  /**
   * Removes the cache files of an object, or the one that begins at `sliceStart`. Checks each again
   * right before its unlink and touches nothing else.
   */
  purge(
    request: ObjectRequest & { sliceStart: number | null },
    run: { signal: AbortSignal },
  ): Promise<PurgeOutcome>
}
