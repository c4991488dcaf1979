import type { Logger } from '../../core/lib/log.ts'
import { endsWithin } from '../../core/lib/within.ts'
import type { EncryptedCredential } from '../protocol/credentials.ts'
import { loginFailedPrefix } from '../protocol/login.ts'
import { createChallenges, type ChallengeParts } from './challenges.ts'
import { LoginError, type EngineLogin } from './engine.ts'

interface LoginParts extends ChallengeParts {
  login: EngineLogin
  log: Logger
}

/** Logins of one daemon: at most one at a time; each ends with exactly one `auth-state`. */
export interface Logins {
  /** Signs in with what is stored, without an event. */
  restore(): Promise<void>
  start(): string
  cancel(): void
  /** False: no challenge waits for it. */
  provide(credential: EncryptedCredential): boolean
}

/** How long a login waits for the one with stored tokens, which begins with the process. */
const restoreMs = 30_000

const cancelled = new LoginError('Login cancelled - ready for new attempt')

export function createLogins({ login, log, ...parts }: LoginParts): Logins {
  const { publish } = parts
  const challenges = createChallenges(parts)
  let current: AbortController | null = null
  let restoring: Promise<void> = Promise.resolve()

  async function signIn(signal: AbortSignal): Promise<void> {
    await endsWithin(restoring, restoreMs)
    if (login.signedIn !== null || (await login.restore(signal))) return
    signal.throwIfAborted()
    await login.signIn({
      signal,
      ask: (question) => challenges.ask(question, signal),
      show: (question) => challenges.show(question),
    })
  }

  function failure(error: unknown, isCancelled: boolean): string {
    if (isCancelled) return cancelled.message
    if (!(error instanceof LoginError)) log.warn({ err: error }, 'a login failed')
    return `${loginFailedPrefix}${error instanceof Error ? error.message : String(error)}`
  }

  async function run({ signal }: AbortController): Promise<void> {
    try {
      await signIn(signal)
      signal.throwIfAborted()
      current = null
      const displayName = login.signedIn?.displayName ?? null
      const message = 'Authenticated and ready for commands'
      publish('auth-state', { state: 'logged-in', message, displayName })
    } catch (error) {
      login.forget()
      // Before the event: who receives it may start the next attempt.
      current = null
      publish('auth-state', { state: 'awaiting-login', message: failure(error, signal.aborted) })
    }
  }

  return {
    restore() {
      restoring = login.restore(new AbortController().signal).then(
        () => {},
        (error: unknown) => log.warn({ err: error }, 'the stored sign-in was refused'),
      )
      return restoring
    },
    start() {
      if (current !== null) return 'Login already in progress'
      if (login.signedIn !== null) return 'Already logged in'
      current = new AbortController()
      void run(current)
      return 'Login started - awaiting credentials'
    },
    cancel: () => current?.abort(cancelled),
    provide: (credential) => challenges.provide(credential),
  }
}
