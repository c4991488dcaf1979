import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { SealError } from '../../core/lib/seal.ts'
import type { SignInOutcome } from '../../engines/alpha-login/contract.ts'
import { tokenEnd } from '../../engines/alpha-login/token.ts'

type Parts = Pick<AccessParts, 'clock' | 'credentials' | 'log'>
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

    /** Throws 503 when secrets cannot be encrypted. */
    keep({ accountName, refreshToken, guardToken }: SignedIn): void {
      const { credentials, log } = parts
      try {
        credentials.keep('alpha.refreshToken', refreshToken, accountName)
        if (guardToken !== null) credentials.keep('alpha.guardToken', guardToken, accountName)
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        log.error({ reason: error.message }, 'could not store the Steam sign-in')
        const text = 'The sign-in could not be kept: the key file of this installation is unusable'
        throw new AppError('unavailable', text, { cause: error })
      }
    },

    /** False when not signed in. */
    forget(): boolean {
      parts.credentials.forget('alpha.guardToken')
      return parts.credentials.forget('alpha.refreshToken')
    },
  }
}
