import type { Logger } from '../../core/lib/log.ts'
import { endsWithin } from '../../core/lib/within.ts'
import type { EncryptedCredential } from '../protocol/credentials.ts'
import { challengeData, loginFailedPrefix, readStoredLogin } from '../protocol/login.ts'
import { createChallenges, type ChallengeParts, type Challenges } from './challenges.ts'
import { LoginError, type EngineLogin, type LoginDialog } from './engine.ts'
import { errorText } from '../../core/lib/error-text.ts'

interface LoginParts extends ChallengeParts {
  login: EngineLogin
  log: Logger
}

type Way = (signal: AbortSignal) => Promise<void>

/** How long a login waits for the one with stored tokens, which begins with the process. */
const restoreMs = 30_000

const inProgress = 'Login already in progress'
const cancelled = new LoginError('Login cancelled - ready for new attempt')

function failure(log: Logger, error: unknown, isCancelled: boolean): string {
  if (isCancelled) return cancelled.message
  if (!(error instanceof LoginError)) log.warn({ err: error }, 'a login failed')
  return `${loginFailedPrefix}${errorText(error)}`
}

const dialogOf = (challenges: Challenges, signal: AbortSignal): LoginDialog => ({
  signal,
  ask: (question) => challenges.ask(question, signal),
  show: (question) => challenges.show(question),
})

export type Logins = ReturnType<typeof createLogins>

/** Logins of one daemon: at most one at a time; each ends with exactly one `auth-state`. */
export function createLogins({ login, log, ...parts }: LoginParts) {
  const { publish } = parts
  const challenges = createChallenges(parts)
  let current: AbortController | null = null
  let restoring: Promise<void> = Promise.resolve()

  const bySteps: Way = async (signal) => {
    await endsWithin(restoring, restoreMs)
    if (login.signedIn !== null || (await login.restore(signal))) return
    signal.throwIfAborted()
    await login.signIn(dialogOf(challenges, signal))
  }

  const byToken: Way = async (signal) => {
    const refreshToken = await challenges.ask({ credentialType: 'refresh-token' }, signal)
    await login.signInWith({ refreshToken }, signal)
  }

  /** Null: signed in; otherwise why not. */
  async function run(way: Way, { signal }: AbortController): Promise<string | null> {
    try {
      await way(signal)
      signal.throwIfAborted()
      current = null
      const displayName = login.signedIn?.displayName ?? null
      const message = 'Authenticated and ready for commands'
      publish('auth-state', { state: 'logged-in', message, displayName })
      return null
    } catch (error) {
      login.forget()
      // Before the event: who receives it may start the next attempt.
      current = null
      const message = failure(log, error, signal.aborted)
      publish('auth-state', { state: 'awaiting-login', message })
      return message
    }
  }

  /** Null: a login can begin. */
  function obstacle(): string | null {
    if (current !== null) return inProgress
    return login.signedIn === null ? null : 'Already logged in'
  }

  function begin(way: Way): string {
    const known = obstacle()
    if (known !== null) return known
    current = new AbortController()
    void run(way, current)
    return 'Login started - awaiting credentials'
  }

  return {
    /** Signs in with what is stored, without an event. */
    restore(): Promise<void> {
      restoring = login.restore(new AbortController().signal).then(
        () => {},
        (error: unknown) => log.warn({ err: error }, 'the stored sign-in was refused'),
      )
      return restoring
    },
    start: (): string => begin(bySteps),
    /** Like `start`, but asks for the token of a stored sign-in. */
    startStored: (): string => begin(byToken),
    /** Data of a challenge for a stored sign-in. */
    storedChallenge: (): object =>
      challengeData(challenges.issue({ credentialType: 'auto-login' })),
    /** Signs in with a stored sign-in, encrypted for that challenge. Rejects with LoginError. */
    async provideStored(credential: EncryptedCredential): Promise<string> {
      const stored = readStoredLogin(challenges.take(credential))
      const known = obstacle()
      if (known === inProgress) throw new LoginError(known)
      if (known !== null) return known
      current = new AbortController()
      const problem = await run((signal) => login.signInWith(stored, signal), current)
      if (problem !== null) throw new LoginError(problem)
      return 'Logged in'
    },
    cancel: (): void => current?.abort(cancelled),
    /** False: no challenge waits for it. */
    provide: (credential: EncryptedCredential): boolean => challenges.provide(credential),
  }
}
