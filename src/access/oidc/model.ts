import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text } from '../../core/http/schema.ts'

const textMax = 300
const names = Type.Array(Type.String({ minLength: 1, maxLength: textMax }), { maxItems: 50 })

/** How people sign in with accounts of an OpenID Connect provider, as it is stored. */
const members = {
  /** Address below which `/.well-known/openid-configuration` lies. */
  issuer: Type.String({ minLength: 8, maxLength: textMax, pattern: '^https?://[^\\s?#]+$' }),
  clientId: Type.String({ minLength: 1, maxLength: textMax }),
  /** On the button of the sign-in page; empty: the host of the issuer. */
  label: Type.String({ maxLength: 60 }),
  /** Asked for, separated by spaces; `openid` is always among them. */
  scopes: Type.String({ maxLength: textMax }),
  /** Claim with groups or roles; dots lead into objects. Empty: roles are not taken from claims. */
  roleClaim: Type.String({ maxLength: textMax }),
  /** Values of the claim that make administrators. */
  adminValues: names,
  /** Values of the claim that make users; empty: everybody else is one. */
  userValues: names,
  /** Creates an account for somebody who has none. */
  createsAccounts: Type.Boolean(),
  /** Links an account of the same name, except the owner's. Safe only if nobody chooses names. */
  linksByName: Type.Boolean(),
  /** Address at which browsers reach Larder; empty: the one they used. */
  publicUrl: Type.String({ maxLength: textMax, pattern: '^(https?://[^\\s?#/]+)?$' }),
}
export const OidcProvider = Type.Object(members)
export type OidcProvider = Static<typeof OidcProvider>

/** Without a secret the stored one stays; an empty one removes iType. */
export const OidcBody = Type.Object({
  ...members,
  clientSecret: Type.Optional(Type.String({ maxLength: 1000 })),
})

export const OidcSettings = Model('OidcSettings', {
  /** Null: off. */
  provider: Nullable(OidcProvider),
  hasSecret: Flag,
  /** To be entered at the provider; of the address of this request, unless one is seType. */
  redirectUri: Text,
})

export const OidcTest = Model('OidcTest', { issuer: Text, authorizationEndpoint: Text })

export const OidcStatus = Model('OidcStatus', {
  /** Text for the button; null: off. */
  label: Nullable(Text),
  /** Whether the caller's account can sign in this way. */
  isLinked: Flag,
})

export const OidcAddress = Model('OidcAddress', { url: Text })

/** Why a sign-in came to nothing; the sign-in page has a text for each. */
export type OidcProblem =
  'off' | 'cancelled' | 'expired' | 'provider' | 'role' | 'unknown' | 'disabled' | 'taken' | 'limit'

/** A sign-in came to nothing; the browser returns to a page that has a text for the reason. */
export class OidcRefused extends Error {
  readonly problem: OidcProblem
  /** A link was begun, in the settings. */
  readonly isLink: boolean

  constructor(problem: OidcProblem, isLink = false) {
    super(problem)
    this.problem = problem
    this.isLink = isLink
  }
}
