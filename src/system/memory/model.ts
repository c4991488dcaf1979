import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'

/** MB and GB count in 1024s. Members without an equivalent in this runtime are 0. */
export const MemoryStats = Model('MemoryStats', {
  timestamp: Utc,
  totalSystemMemoryMB: Num,
  totalSystemMemoryGB: Num,
  workingSetMB: Num,
  workingSetGB: Num,
  managedMB: Num,
  managedGB: Num,
  unmanagedMB: Num,
  unmanagedGB: Num,
  totalAllocatedMB: Num,
  totalAllocatedGB: Num,
  heapSizeMB: Num,
  heapSizeGB: Num,
  fragmentedMB: Num,
  fragmentedGB: Num,
  gen0Collections: Int,
  gen1Collections: Int,
  gen2Collections: Int,
  threadCount: Int,
  handleCount: Int,
})

export const GcSettings = Model('GcSettings', {
  enabled: Flag,
  memoryThresholdMB: Int,
  message: Nullable(Text),
})
export type GcSettings = Static<typeof GcSettings>

export const GcSettingsBody = Type.Object({
  enabled: Type.Optional(Nullable(Flag)),
  aggressiveness: Type.Optional(Nullable(Text)),
  memoryThresholdMB: Type.Integer({ minimum: 512, maximum: 32_768 }),
})
export type GcSettingsBody = Static<typeof GcSettingsBody>

export const GcTriggered = Type.Object({
  skipped: Flag,
  reason: Nullable(Text),
  remainingSeconds: Nullable(Num),
  beforeMB: Nullable(Num),
  afterMB: Nullable(Num),
  freedMB: Nullable(Num),
  message: Text,
})
export type GcTriggered = Static<typeof GcTriggered>

export const GcManagement = Type.Object({ enabled: Flag })
