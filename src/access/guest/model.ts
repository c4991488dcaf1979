import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

const optional = <T extends typeof Int | typeof Flag>(schema: T) => Type.Optional(Nullable(schema))

export const GuestStatus = Model('GuestStatus', { isLocked: Flag, durationHours: Int })

export const GuestDuration = Model('GuestDuration', {
  durationHours: Int,
  source: Text,
  canEdit: Flag,
  envVarValue: Int,
})
export type GuestDuration = Static<typeof GuestDuration>

export const DurationBody = Type.Object({ durationHours: optional(Int) })
export const LockBody = Type.Object({ isLocked: Type.Optional(Flag) })
export const Locked = Type.Object({ success: Flag, isLocked: Flag, message: Text })

const timing = { enabledByDefault: Flag, durationHours: Int }
const threads = { maxThreadCount: Nullable(Int) }

export const AlphaPrefillConfig = Model('AlphaPrefillConfig', {
  ...timing,
  ...threads,
  betaEnabledByDefault: Flag,
  betaDurationHours: Int,
  betaMaxThreadCount: Nullable(Int),
  gammaEnabledByDefault: Flag,
  gammaDurationHours: Int,
})
export const ThreadedPrefillConfig = Model('ThreadedPrefillConfig', { ...timing, ...threads })
export const PlainPrefillConfig = Type.Object(timing)

const timingBody = { enabledByDefault: Type.Optional(Flag), durationHours: Type.Optional(Int) }

export const PlainPrefillBody = Type.Object(timingBody)
export const ThreadedPrefillBody = Model('ThreadedPrefillBody', {
  ...timingBody,
  maxThreadCount: optional(Int),
})
export const AlphaPrefillBody = Model('AlphaPrefillBody', {
  ...timingBody,
  maxThreadCount: optional(Int),
  gammaEnabledByDefault: optional(Flag),
  gammaDurationHours: optional(Int),
  deltaEnabledByDefault: optional(Flag),
  deltaDurationHours: optional(Int),
})

export const ThreadedPrefillSaved = Model('ThreadedPrefillSaved', {
  success: Flag,
  ...timing,
  ...threads,
})
export const PlainPrefillSaved = Model('PlainPrefillSaved', { success: Flag, ...timing })

export const ToggleBody = Type.Object({ enabled: Type.Optional(Flag) })
export const Toggled = Type.Object({
  success: Flag,
  sessionId: Text,
  service: Text,
  enabled: Flag,
  prefillExpiresAt: Nullable(Utc),
})
