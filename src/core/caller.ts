import type { Holder } from './lib/shares.ts'

export type Role = 'admin' | 'user' | 'guest'

/** The caller of a request, as far as access rules need it. */
export interface Caller {
  kind: 'anonymous' | 'session'
  /** Null for an anonymous caller. */
  sessionId: string | null
  role: Role | null
  /** Null for guests, key sessions and while authentication is disabled. */
  accountId: string | null
  isOwner: boolean
  /** Platforms that a guest may currently prefill; account holders may use all. */
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

/** The caller as the holder of a share; with its address as limits count it. */
export const holderOf = (caller: Caller, address: string | null): Holder => ({
  isAccount: isAccountHolder(caller),
  sessionId: caller.sessionId,
  address,
})

export const isAccountHolder = (caller: Caller): boolean =>
  caller.role === 'admin' || caller.role === 'user'
