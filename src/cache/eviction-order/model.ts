import { Type, type Static } from '@sinclair/typebox'
import { Int, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const NextGame = Type.Object({
  key: Text,
  name: Text,
  service: Text,
  bytes: LargeInt,
  lastUsedAt: Utc,
  inDays: Nullable(Num, 'Until its first files are evicted at this growth; null: unknown'),
})

/** Games in the order in which the proxy evicts their files, as far as it is known. */
export const EvictionOrder = Model('CacheEvictionOrder', {
  games: Type.Array(NextGame),
  /** Games in the cache, listed or not. */
  total: Int,
  roomBytes: Nullable(LargeInt),
  bytesPerDay: Nullable(Num),
  basis: Nullable(
    stringUnion(['growth', 'downloads']),
    'Whether the rate is that of measured sizes or of the last 30 days’ downloads',
  ),
  reason: Nullable(Text, 'Why nothing is listed; else null'),
})
export type EvictionOrder = Static<typeof EvictionOrder>
