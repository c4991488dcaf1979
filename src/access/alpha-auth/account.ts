import type { AccessParts } from '../parts.ts'
import type { SignInOutcome } from '../../engines/alpha-login/contract.ts'
import { tokenEnd } from '../../engines/alpha-login/token.ts'

type Parts = Pick<AccessParts, 'clock' | 'credentials'>
type SignedIn = Extract<SignInOutcome, { kind: 'signedIn' }>

/** The installation's stored Steam account. */
export function createAlphaAccount(parts: Parts) {
  /** Whether the stored token is readable and not expired. */
  function isUsable(): boolean {
    const kept = parts.credentials.read('alpha.refreshToken')
    if (kept.state !== 'kept') return false
    const end = tokenEnd(kept.secret)
    return end === null || end > parts.clock.now()
  }

  return {
    isUsable,

    /** Empty when not signed in. */
    username: (): string => parts.credentials.label('alpha.refreshToken') ?? '',

    /** Whether there is a stored token that can no longer be used. */
    hasExpired: (): boolean =>
      parts.credentials.label('alpha.refreshToken') !== null && !isUsable(),

    /** Only for the same account: it tells Steam that this machine is known. */
    guardToken(accountName: string): string | null {
      const kept = parts.credentials.read('alpha.guardToken')
      if (kept.state !== 'kept') return null
      const isTheirs = kept.label?.toLowerCase() === accountName.toLowerCase()
      return isTheirs ? kept.secret : null
    },

    /** Throws SealError. */
    keep({ accountName, refreshToken, guardToken }: SignedIn): void {
      const { credentials } = parts
      credentials.keep('alpha.refreshToken', refreshToken, accountName)
      if (guardToken !== null) credentials.keep('alpha.guardToken', guardToken, accountName)
    },

    /** False when not signed in. */
    forget(): boolean {
      parts.credentials.forget('alpha.guardToken')
      return parts.credentials.forget('alpha.refreshToken')
    },
  }
}
