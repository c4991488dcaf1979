import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { FileOffset, ObjectOffset } from '../../engines/cache/corruption/wire.ts'
import { skipReasons, sliceFacts, structuralIssues } from '../../engines/cache/contract.ts'
import { Bytes, Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Suspect = Model('Suspect', {
  datasource: Text,
  client: Text,
  tag: Text,
  service: Text,
  /** As in a cache key, and as requested. */
  path: Text,
  url: Text,
  host: Text,
  /** Number of the slice requested first; null when stored whole. */
  slice: Nullable(Num),
  asked: Int,
  /** Repeats within a minute. */
  quickRepeats: Int,
  /** Number of responses by status. */
  statuses: Type.Record(Text, Int),
  fromCache: Int,
  fetched: Int,
  bytes: Num,
  leastBytes: Num,
  mostBytes: Num,
  firstSeenUtc: Utc,
  lastSeenUtc: Utc,
  /** Null when the index of this cache is unavailable. */
  isInIndex: Nullable(Flag),
  suspicion: Num,
  reason: Text,
})

export const Suspects = Type.Object({
  fromUtc: Utc,
  toUtc: Utc,
  suspects: Type.Array(Suspect),
  coverage: Type.Array(
    Type.Object({
      datasource: Text,
      filesRead: Int,
      linesRead: Int,
      isCut: Flag,
      problem: Nullable(Text),
      dropped: Int,
    }),
  ),
})

const Gap = Type.Object({ first: Num, last: Num })

const StoredFile = Model('StoredCacheFile', {
  digest: Text,
  key: Nullable(Text),
  path: Text,
  fileBytes: Num,
  sliceStart: Nullable(ObjectOffset),
  slice: Nullable(Num),
  isFallback: Flag,
  isInIndex: Flag,
  header: Type.Object({
    version: Nullable(Num),
    storedAtUtc: Nullable(Utc),
    validUntilUtc: Nullable(Utc),
    lastModifiedUtc: Nullable(Utc),
    etag: Nullable(Text),
    hasVary: Flag,
    httpStatus: Nullable(Int),
    contentLength: Nullable(Bytes),
    contentRange: Nullable(Text),
  }),
  framing: Type.Object({
    headerStart: Nullable(FileOffset),
    bodyStart: Nullable(FileOffset),
    expectedPayloadBytes: Nullable(Num),
    actualPayloadBytes: Nullable(Num),
  }),
  findings: Type.Array(stringUnion(structuralIssues)),
  disagreesIn: Type.Array(stringUnion(sliceFacts)),
  notJudged: Nullable(stringUnion(skipReasons)),
})

const verdicts = ['absent', 'broken', 'incomplete', 'sound'] as const
export type Verdict = (typeof verdicts)[number]

const StoredObject = Model('StoredObject', {
  verdict: stringUnion(verdicts),
  sliceBytes: Num,
  objectBytes: Nullable(Num),
  storedBytes: Num,
  files: Type.Array(StoredFile),
  isCut: Flag,
  /** Slice numbers, both inclusive. */
  holes: Type.Array(Gap),
  missingAtEnd: Nullable(Gap),
})

const named = { datasource: Text, tag: Text, service: Text, path: Text, url: Text }

export const ObjectAnswer = Model('ObjectAnswer', { ...named, ...StoredObject.properties })

export const PurgeStarted = Model('PurgeStarted', {
  ...queued,
  status: stringUnion(['started', 'waiting', 'alreadyRunning']),
  message: Text,
  service: Text,
  /** Present now; each file is checked again right before its removal. */
  files: Int,
  bytes: Num,
  paths: Type.Array(Text),
})

/** The response to a fetch; its body is discarded. */
const Fetched = Type.Object({
  status: Int,
  bytes: Num,
  /** From the response headers; null when not given. */
  expectedBytes: Nullable(Num),
  isWhole: Flag,
  /** From the proxy's debug header; null without it. */
  cacheStatus: Nullable(Text),
  /** Why the fetch was aborted, and for translations. */
  problem: Nullable(Text),
  problemKey: Nullable(Text),
})
export type Fetched = Static<typeof Fetched>

export const Refetched = Model('Refetched', {
  ...named,
  host: Text,
  proxy: Type.Object({ host: Text, port: Int, name: Text }),
  fetched: Fetched,
  before: StoredObject,
  after: StoredObject,
})
