import { Type } from '@sinclair/typebox'
import { flag, rule } from '../core/settings/rules.ts'
import { Nullable, stringUnion } from '../core/lib/schema.ts'
import { NodePlaces } from './datasources/node-hosts.ts'

const CacheLimit = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('fullDisk')])

/** When games were last detected, and the used bytes of each disk then (datasource -> bytes). */
const LastDetection = Type.Object({
  at: Type.String(),
  usedBytes: Type.Record(Type.String(), Type.Number()),
  /** Unknown for those of earlier versions. */
  tookMs: Type.Optional(Type.Number()),
})

/** Settings of this group, with their form and their default. */
export const cacheSettings = {
  'cache.deleteMode': rule(stringUnion(['preserve', 'full', 'rsync']), 'preserve'),
  /** Size limits of caches by the lower-case name of their datasource: bytes, or the whole disk. */
  'cache.sizes': rule(Type.Record(Type.String(), CacheLimit), {}),
  'detection.last': rule(Nullable(LastDetection), null),
  'eviction.mode': rule(stringUnion(['show', 'hide', 'showClean', 'remove']), 'show'),
  'eviction.prunesOrphans': flag(false),
  'nodes.places': rule(NodePlaces, {}),
  'retention.undoHours': rule(Type.Number({ minimum: 0, maximum: 720 }), 24),
  'retention.sparedDays': rule(Type.Integer({ minimum: 1, maximum: 3660 }), 30),
}
