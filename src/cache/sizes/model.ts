import { Type, type Static } from '@sinclair/typebox'
import { Int, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/** Shares of hits, 0 to 1. */
const Shares = { byBytes: Num, byRequests: Num }

const SizePoint = Type.Object({ bytes: LargeInt, ...Shares })
export type SizePoint = Static<typeof SizePoint>

/** What caches of other sizes would have served of one datasource's requests. */
export const SizeCurve = Model('CacheSizeCurve', {
  datasource: Text,
  state: stringUnion(['ready', 'tooLittleHistory', 'tooFewObjects']),
  /** First request that counts; null before any. */
  since: Nullable(Utc),
  /** Requests and bytes of clients since then, as logged. */
  requests: Int,
  bytes: LargeInt,
  measured: Type.Object(Shares, { description: 'Share of hits that the log shows' }),
  objects: Type.Integer({ description: 'Cache files in the sample' }),
  error: Type.Number({ description: 'Half of the 95 % interval of each share; 1: unknown' }),
  today: Nullable(SizePoint, 'At the size of the cache now'),
  more: Nullable(SizePoint, 'At about half as much again; `bytes` is the whole size'),
  diskBytes: Nullable(LargeInt),
  points: Type.Array(SizePoint, { description: 'Empty unless `state` is `ready`' }),
})
export type SizeCurve = Static<typeof SizeCurve>

export const SizeCurves = Type.Object({
  windowDays: Type.Integer({ description: 'Days of the log that count at most' }),
  items: Type.Array(SizeCurve),
})
