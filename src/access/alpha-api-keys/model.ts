import { Type, type Static } from '@sinclair/typebox'
import { ErrorBody, Flag, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/lib/schema.ts'

/** Which Steam app list is available: V2 needs no key, V1 does. */
const AlphaApiVersion = stringUnion(['V2Active', 'V1WithKey', 'V1NoKey', 'BothFailed', 'Unknown'])

export const AlphaKeyStatus = Model('AlphaKeyStatus', {
  version: AlphaApiVersion,
  isV2Available: Flag,
  isV1Available: Flag,
  hasApiKey: Flag,
  isFullyOperational: Flag,
  message: Nullable(Text),
  lastChecked: Utc,
})
export type AlphaKeyStatus = Static<typeof AlphaKeyStatus>

export const AlphaKeyBody = Model('AlphaKeyBody', {
  apiKey: Type.Optional(Nullable(Type.String({ maxLength: 512 }))),
})
export type AlphaKeyBody = Static<typeof AlphaKeyBody>

export const AlphaKeyTest = Type.Object({ valid: Flag, message: Text })
export type AlphaKeyTest = Static<typeof AlphaKeyTest>

export const AlphaKeySaved = Type.Object({ message: Text, encrypted: Flag })
export const AlphaKeyRefused = Type.Composite([ErrorBody, Type.Object({ message: Text })])
