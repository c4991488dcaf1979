import { begin } from '../../../engines/alpha-login/pending-sign-in.ts'
import type { LoginAttempt } from '../../../engines/alpha-login/attempt.ts'
import type { SignInOutcome, SignInRequest } from '../../../engines/alpha-login/contract.ts'
import { refusalOf } from '../../../engines/alpha-login/results.ts'
import { orAborted } from '../../../core/lib/pause.ts'
import { LoginError, type LoginDialog } from '../engine.ts'

/** Passwords and codes that may be wrong before a sign-in fails. */
const triesMax = 3
/** How long a tap on the phone is waited for; Steam's own limit is shorter. */
const tapMs = 3 * 60_000

type SignedInOutcome = Extract<SignInOutcome, { kind: 'signedIn' }>
type Refused = Extract<SignInOutcome, { kind: 'refused' }>

const refusals: Record<Refused['reason'], string> = {
  wrongPassword: 'Steam does not know this name with this password',
  tooMany: 'Too many sign-ins; Steam accepts none for a while',
  busy: 'Steam is busy; try again in a minute',
  unreachable: 'Steam cannot be reached',
  cancelled: 'The sign-in was cancelled',
  other: 'Steam refuses the sign-in',
}
const textOf = ({ reason, result }: Refused) =>
  reason === 'other' && result !== null ? `${refusals.other} (${result})` : refusals[reason]

/** Waits for a tap in Steam's app; it may come before or after the user says so here. */
function tapped(attempt: LoginAttempt, request: SignInRequest, dialog: LoginDialog) {
  const outcome = attempt.settle({ ...request, allowsPhone: true, phoneWaitMs: tapMs })
  const answered = dialog.ask({ credentialType: 'device-confirmation' })
  return orAborted(Promise.race([outcome, answered.then(() => outcome)]), dialog.signal)
}

/** Asks for the code of the app or the mail until Steam accepts one. */
async function proven(attempt: LoginAttempt, request: SignInRequest, dialog: LoginDialog) {
  let outcome = await orAborted(attempt.settle(request), dialog.signal)
  for (let tries = 0; outcome.kind === 'codeNeeded' && !outcome.isExpired; tries++) {
    if (tries >= triesMax) throw new LoginError('Steam does not accept the code')
    const question =
      outcome.code === 'email'
        ? ({ credentialType: 'steamguard', email: attempt.emailDomain } as const)
        : ({ credentialType: '2fa' } as const)
    const code = (await dialog.ask(question)).trim()
    outcome = await orAborted(attempt.resume({ ...request, code }), dialog.signal)
  }
  return outcome
}

async function tried(request: SignInRequest, dialog: LoginDialog): Promise<SignInOutcome> {
  let attempt: LoginAttempt
  try {
    attempt = await orAborted(begin(request), dialog.signal)
  } catch (error) {
    dialog.signal.throwIfAborted()
    return refusalOf(error)
  }
  try {
    return await (attempt.offersTap() ? tapped : proven)(attempt, request, dialog)
  } finally {
    attempt.close()
  }
}

/**
 * Signs in with name, password and whatever proof Steam asks for. A wrong password is asked for
 * again. Rejects with LoginError.
 */
export async function signInToAlpha(
  dialog: LoginDialog,
  options: Pick<SignInRequest, 'webApiBaseUrl'> & { guardTokenOf: (name: string) => string | null },
): Promise<SignedInOutcome> {
  const accountName = (await dialog.ask({ credentialType: 'username' })).trim()
  for (let tries = 1; ; tries++) {
    const password = await dialog.ask({ credentialType: 'password' })
    const outcome = await tried(
      {
        accountName,
        password,
        code: null,
        allowsPhone: false,
        phoneWaitMs: 0,
        guardToken: options.guardTokenOf(accountName),
        webApiBaseUrl: options.webApiBaseUrl,
      },
      dialog,
    )
    if (outcome.kind === 'signedIn') return outcome
    if (outcome.kind === 'codeNeeded') throw new LoginError('The sign-in was declined or expired')
    if (outcome.reason !== 'wrongPassword' || tries >= triesMax) {
      throw new LoginError(textOf(outcome))
    }
  }
}
