import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/**
 * `show`: listed and marked; `hide`: not listed; `showClean`: listed without a mark; `remove`: not
 * listed, and removed after every scan.
 */
export const evictedModes = ['show', 'hide', 'showClean', 'remove'] as const
export type EvictedMode = (typeof evictedModes)[number]

export const EvictionSettings = Model('EvictionSettings', {
  evictedDataMode: stringUnion(evictedModes),
  evictionScanNotifications: Flag,
  pruneOrphanedDownloads: Flag,
  /** The removal started by choosing `remove`; null otherwise. */
  operationId: Nullable(Text),
})
export type EvictionSettings = Static<typeof EvictionSettings>

export const EvictionChange = Type.Object({
  /** Empty leaves it unchanged. Case is ignored. */
  evictedDataMode: Type.Optional(Nullable(Text)),
  evictionScanNotifications: Type.Optional(Nullable(Flag)),
  pruneOrphanedDownloads: Type.Optional(Nullable(Flag)),
})
export type EvictionChange = Static<typeof EvictionChange>

export const EvictionModeRefused = Type.Object({ error: Text, message: Type.Optional(Text) })

export const EvictionScanStarted = Model('EvictionScanStarted', {
  ...queued,
  operationId: Nullable(Text),
})

export const EvictionReset = Type.Object({ reset: Int })
