import type { SharePage } from './lib/share-pages.ts'
import type { Holder } from './lib/shares.ts'

export type Role = 'admin' | 'user' | 'guest'

/** What a share link opens. */
export interface SharedPage {
  id: string
  page: SharePage
  subject: string
  label: string
  /** Whether the page names devices. */
  showsNames: boolean
  expiresAt: Date
}

/** The caller of a request, as far as access rules need it. */
export interface Caller {
  /** `link`: someone who sent the token of a share link, whatever else came with the request. */
  kind: 'anonymous' | 'session' | 'link'
  /** Only for the kind `link`. */
  link?: SharedPage
  /** Null for an anonymous caller and for links. */
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
