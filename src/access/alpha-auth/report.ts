import type { RefusalReason, SignInOutcome } from '../../engines/alpha-login/contract.ts'
import type { AlphaLoginReport } from './model.ts'

type CodeNeeded = Extract<SignInOutcome, { kind: 'codeNeeded' }>

export const refusalTexts: Record<RefusalReason, string> = {
  wrongPassword: 'Steam refused the username or password',
  tooMany: 'Steam has seen too many attempts; try again later',
  busy: 'Steam is busy at the moment; try again later',
  unreachable: 'Steam cannot be reached; check the connection to the internet',
  cancelled: 'The sign-in was cancelled',
  other: 'Steam refused the sign-in',
}

const nothing: AlphaLoginReport = {
  success: false,
  message: null,
  authMode: null,
  username: null,
  status: null,
  requiresTwoFactor: false,
  requiresEmailCode: false,
  sessionExpired: false,
}

export const signedInReport = (username: string): AlphaLoginReport => ({
  ...nothing,
  success: true,
  message: 'Signed in on Steam',
  authMode: 'authenticated',
  username,
})

/** Answer to a call without name and password. */
export const modeReport = (
  authMode: 'anonymous' | 'authenticated',
  username: string,
): AlphaLoginReport => ({
  ...nothing,
  message: `Steam is used ${authMode === 'anonymous' ? 'without' : 'with'} an account`,
  authMode,
  username: authMode === 'anonymous' ? null : username,
  status: 'connected',
})

/**
 * Steam needs another factor; `requiresTwoFactor` also marks an attempt that ended, whatever the
 * code.
 */
export function codeReport({ code, isWrong, isExpired }: CodeNeeded): AlphaLoginReport {
  const sentences = [
    isExpired ? 'The sign-in was declined or took too long.' : '',
    isWrong ? 'Steam did not accept this code.' : '',
    code === 'email'
      ? 'Type the code that Steam has sent by mail.'
      : 'Type the code of the Steam Guard authenticator.',
  ]
  return {
    ...nothing,
    message: sentences.filter((sentence) => sentence !== '').join(' '),
    requiresTwoFactor: code === 'device' || isExpired,
    requiresEmailCode: code === 'email',
    sessionExpired: isExpired,
  }
}
