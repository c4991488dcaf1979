import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

export const EpsilonGameMapping = Model('EpsilonGameMapping', {
  productId: Text,
  title: Text,
  discoveredAtUtc: Utc,
  lastSeenAtUtc: Utc,
  imageUrl: Nullable(Text),
})
export type EpsilonGameMapping = Static<typeof EpsilonGameMapping>

export const EpsilonMappingStats = Model('EpsilonMappingStats', {
  totalGames: Int,
  lastUpdatedUtc: Nullable(Utc),
})

export const EpsilonAuthStatus = Model('EpsilonMappingAuthStatus', {
  isAuthenticated: Flag,
  displayName: Nullable(Text),
  lastCollectionUtc: Nullable(Utc),
  gamesDiscovered: Int,
  /** Without a refresh until then, Microsoft ends the sign-in. */
  expiresAtUtc: Nullable(Utc),
  /** A code waits for approval, or the titles of a new sign-in are being collected. */
  loginInProgress: Flag,
})

export const EpsilonLoginStarted = Type.Object({
  userCode: Text,
  verificationUri: Text,
  /** Seconds. */
  expiresIn: Int,
  /** Seconds between two questions to Microsoft. */
  interval: Int,
  operationId: Text,
})
