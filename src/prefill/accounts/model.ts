import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, stringUnion, Text, Utc, Nullable } from '../../core/lib/schema.ts'
import { accountPlatforms } from '../../platforms/platforms.ts'
import { credentialCharsMax } from '../hubs/payloads.ts'

/** Accounts of a platform beside its first one. */
export const furtherAccountsMax = 4

const accountStates = [
  'notStarted',
  'signedOut',
  'signingIn',
  'signedIn',
  /** Signed in longer than it may be without a new sign-in. */
  'expired',
  'failed',
] as const

export const PrefillAccount = Model('PrefillAccount', {
  id: Type.String({ description: 'Key of the platform for its first account, else 8 hex digits' }),
  platform: stringUnion(accountPlatforms),
  isFirst: Type.Boolean({ description: 'The one that `/api/system/prefill/persistent` means' }),
  name: Nullable(Text, 'Of the account that is signed in'),
  state: stringUnion(accountStates),
  problem: Nullable(Text, 'Why it failed, or why the last sign-in did'),
  expiresAtUtc: Nullable(Utc, 'When it has to sign in again'),
  isPrefilling: Flag,
  sessionId: Nullable(Text, 'Session for games, selection and runs; null: not started'),
  games: Nullable(Int, 'How many the daemon listed last; null: not listed since the sign-in'),
  canAdd: Type.Boolean({ description: 'The platform can have one more account' }),
})
export type PrefillAccount = Static<typeof PrefillAccount>

export const NewAccountBody = Type.Object({ platform: stringUnion(accountPlatforms) })

export const AccountCredentialBody = Type.Object({
  challengeId: Type.String({ minLength: 1, maxLength: 200 }),
  credential: Type.String({
    minLength: 1,
    maxLength: credentialCharsMax,
    description: 'In clear; it is encrypted for the daemon',
  }),
})
export type AccountCredential = Static<typeof AccountCredentialBody>
