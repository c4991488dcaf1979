import type { RemovalOutcome, SkipReason, StructuralIssue } from '../contract.ts'
import type { SliceFact } from '../corruption/corruption-contract.ts'

/** What looking at all stored pieces of one object answers. Plain data: it crosses a thread. */

/** An object as a key names it. */
export interface ObjectRequest {
  datasource: string
  /** Tag of the log. */
  tag: string
  /** Path as in a key: decoded, without the query. */
  path: string
  /** Path as it was asked for, query included: some proxies make keys of it. */
  target: string
}

export interface ObjectPiece {
  /** File name: md5 of the key, or of the key and a request's kind (Vary). */
  digest: string
  /** Key as it stands in the file; null when it cannot be read. */
  key: string | null
  path: string
  fileBytes: number
  /** First byte and number of the slice; null: stored in one piece. */
  sliceStart: number | null
  slice: number | null
  /** Stored by the proxy's fallback without slices. */
  isFallback: boolean
  version: number | null
  /** Unix seconds; null when not told. */
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
  /** Why it was not judged; null: it was. */
  notJudged: SkipReason | null
  isInIndex: boolean
}

/** Numbers of slices that are not there, both included. */
export interface SliceGap {
  first: number
  last: number
}

export interface ObjectReport {
  datasource: string
  keyTag: string
  path: string
  /** Bytes of one slice; 0: objects lie in one piece. */
  sliceBytes: number
  /** Length of the object after what its pieces say; null when none does. */
  objectBytes: number | null
  pieces: ObjectPiece[]
  /** More pieces than are looked at. */
  isCut: boolean
  /** Slices missing before the last one that is stored, and those after it. */
  holes: SliceGap[]
  missingAtEnd: SliceGap | null
  storedBytes: number
}

export type ObjectOutcome =
  | { kind: 'read'; report: ObjectReport }
  /** The tree cannot be read, or nothing is known about its keys; for people. */
  | { kind: 'refused'; problem: string }

/** What became of the pieces of one object. */
export type PurgeOutcome = Pick<
  RemovalOutcome,
  'state' | 'filesDeleted' | 'bytesFreed' | 'alreadyMissing' | 'filesChanged' | 'problem'
>

/** The main thread's side of looking into single objects. */
export interface Doctor {
  /** All pieces of an object as they lie on the disk now; payloads are never read. */
  object(request: ObjectRequest): Promise<ObjectOutcome>
  /** Of these tags, those under which something of the object is stored; at most 200 tags. */
  tagsOf(request: Omit<ObjectRequest, 'tag'>, tags: string[]): Promise<string[]>
  /**
   * Removes the pieces of an object, or the one that begins at `sliceStart`, each looked at again
   * right before. Nothing else is touched.
   */
  purge(
    request: ObjectRequest & { sliceStart: number | null },
    run: { signal: AbortSignal },
  ): Promise<PurgeOutcome>
}
