import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text } from '../../core/http/schema.ts'

export const AlphaAuthStatus = Model('AlphaAuthStatus', {
  /** `anonymous`, `authenticated` or empty: never chosen. */
  mode: Text,
  username: Text,
  isAuthenticated: Flag,
  authMode: Text,
  /** The stored sign-in is usable: readable and not expired. */
  isConnected: Flag,
  hasStoredCredentials: Flag,
})
export type AlphaAuthStatus = Static<typeof AlphaAuthStatus>

const Code = Type.Optional(Nullable(Type.String({ maxLength: 10, pattern: '^[A-Za-z0-9]*$' })))

export const AlphaLoginBody = Model('AlphaLoginBody', {
  username: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  password: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  twoFactorCode: Code,
  emailCode: Code,
  allowMobileConfirmation: Type.Optional(Nullable(Flag)),
  autoStartCatalogRebuild: Type.Optional(Nullable(Flag)),
})
export type AlphaLoginBody = Static<typeof AlphaLoginBody>

export const AlphaLoginReport = Model('AlphaLoginReport', {
  success: Flag,
  message: Nullable(Text),
  authMode: Nullable(Text),
  username: Nullable(Text),
  status: Nullable(Text),
  requiresTwoFactor: Flag,
  requiresEmailCode: Flag,
  sessionExpired: Flag,
})
export type AlphaLoginReport = Static<typeof AlphaLoginReport>

export const AlphaModeBody = Type.Object({ mode: Type.Optional(Nullable(Text)) })
export type AlphaModeBody = Static<typeof AlphaModeBody>

export const AlphaMode = Type.Object({ success: Flag, message: Text, mode: Text })
