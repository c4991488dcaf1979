export type Role = 'admin' | 'user' | 'guest'

/** Who is asking, as far as access rules need to know. */
export interface Caller {
  kind: 'anonymous' | 'session'
  /** Null for an anonymous caller. */
  sessionId: string | null
  role: Role | null
  /** Null for guests, key sessions and while authentication is switched off. */
  accountId: string | null
  isOwner: boolean
  /** Platforms a guest may prefill at this moment; account holders may use all. */
  prefillGrants: readonly string[]
}

export const anonymous: Caller = Object.freeze({
  kind: 'anonymous',
  sessionId: null,
  role: null,
  accountId: null,
  isOwner: false,
  prefillGrants: [],
})

export const isAccountHolder = (caller: Caller): boolean =>
  caller.role === 'admin' || caller.role === 'user'
