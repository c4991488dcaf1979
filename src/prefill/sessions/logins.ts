import type { PrefillParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Operations } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import { timeLimitsMs } from '../protocol/commands.ts'
import {
  loginFailedPrefix,
  type AuthState as AuthNotice,
  type Challenge,
  type CredentialType,
  type StoredLogin,
} from '../protocol/login.ts'
import type { Announcer } from './announcer.ts'
import type { AuthState } from '../hubs/payloads.ts'
import { answered, failureText } from './refusals.ts'
import type { LiveSession } from './state.ts'

/** Types that are missing leave the state as it is. */
const requiredStates: Partial<Record<CredentialType, AuthState>> = {
  username: 'UsernameRequired',
  password: 'PasswordRequired',
  '2fa': 'TwoFactorRequired',
  steamguard: 'AlphaGuardRequired',
  'device-confirmation': 'DeviceConfirmationRequired',
  'authorization-url': 'AuthorizationUrlRequired',
}

/** The state that a login has reached. */
export type LoginStep =
  | { kind: 'challenge'; challenge: Challenge }
  | { kind: 'loggedIn' }
  | { kind: 'failed'; reason: string }
  /** Nothing yet. */
  | { kind: 'waiting' }

interface Parts extends Pick<PrefillParts, 'clock' | 'timers' | 'log'> {
  announcer: Announcer
  operations: Pick<Operations, 'submit'>
  /** Whether another session signs in at the same daemon. */
  isBusyElsewhere: (session: LiveSession) => boolean
  isNameBanned: (name: string) => boolean
  /** The name of the account is known now, or the session is signed out. */
  changed: (session: LiveSession) => void
}

/** Callers that wait for one login at a time. */
const waitersMax = 64
/** How long a client waits for a challenge, in ms, by the seconds that it asks for: 120 at most. */
export const challengeWaitMs = (seconds: number | null | undefined): number =>
  Math.min(Math.max(seconds ?? 30, 0), 120) * 1000
export const bannedText = 'You are banned from using the prefill feature.'
const busyText = 'A login attempt is already in progress'

/** Drives logins: challenges and credentials in turn, until the daemon says how it ended. */
export class Logins {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #wake({ login }: LiveSession): void {
    const waiters = [...login.waiters]
    login.waiters.clear()
    for (const waiter of waiters) waiter()
  }

  #setState(session: LiveSession, state: AuthState): void {
    if (session.authState === state) return
    session.authState = state
    this.#parts.announcer.authState(session)
    this.#parts.announcer.updated(session)
  }

  #close(session: LiveSession, state: AuthState, failure: string | null): void {
    const { login } = session
    login.isActive = false
    login.challenge = null
    login.failure = failure
    this.#setState(session, state)
    this.#wake(session)
    this.#parts.changed(session)
  }

  #isValid(challenge: Challenge): boolean {
    const endsAt = Date.parse(challenge.expiresAt)
    return Number.isNaN(endsAt) || endsAt > this.#parts.clock.now().getTime()
  }

  step(session: LiveSession): LoginStep {
    const { login, authState } = session
    if (authState === 'Authenticated') return { kind: 'loggedIn' }
    if (login.failure !== null) return { kind: 'failed', reason: login.failure }
    if (login.challenge !== null && this.#isValid(login.challenge)) {
      return { kind: 'challenge', challenge: login.challenge }
    }
    return { kind: 'waiting' }
  }

  /** Waits until there is something to say; `waiting` after the limit. */
  async wait(session: LiveSession, limitMs: number): Promise<LoginStep> {
    const endMs = this.#parts.clock.elapsedMs() + limitMs
    for (;;) {
      const now = this.step(session)
      const leftMs = endMs - this.#parts.clock.elapsedMs()
      const isOver = leftMs <= 0 || session.status !== 'Active'
      if (now.kind !== 'waiting' || isOver || session.login.waiters.size >= waitersMax) return now
      const { promise, resolve } = Promise.withResolvers<void>()
      session.login.waiters.add(resolve)
      const cancel = this.#parts.timers.after(leftMs, resolve)
      await promise
      cancel()
      session.login.waiters.delete(resolve)
    }
  }

  /** The login as a job of the service, so that it is listed and can be cancelled there. */
  #track(session: LiveSession): void {
    const { login } = session
    const queued = this.#parts.operations.submit({
      type: 'prefillLogin',
      scope: session.id,
      ...named('prefillLogin', { platform: platformFacts[session.platform].title }),
      run: async ({ signal }) => {
        const cancelled = () => void this.cancel(session).catch(() => {})
        signal.addEventListener('abort', cancelled, { once: true })
        while (login.isActive) {
          const { promise, resolve } = Promise.withResolvers<void>()
          login.waiters.add(resolve)
          await promise
        }
        signal.removeEventListener('abort', cancelled)
        if (session.authState === 'Authenticated') return { kind: 'completed' }
        if (signal.aborted || login.failure === null) return { kind: 'cancelled' }
        return { kind: 'failed', error: login.failure }
      },
    })
    login.operationId = queued.operationId
  }

  async refresh(session: LiveSession): Promise<void> {
    const status = await session.client.status()
    session.username = status.username ?? session.username
    session.accountUsername = status.accountDisplayName ?? session.accountUsername
    this.#parts.announcer.status(session, { ...status, message: null })
    if (status.isLoggedIn) this.#close(session, 'Authenticated', null)
  }

  #started(session: LiveSession, { isSilent }: { isSilent: boolean }): void {
    const { login } = session
    login.isActive = true
    login.isSilent = isSilent
    login.startedMs = this.#parts.clock.elapsedMs()
    login.failure = null
    login.answeredId = null
    this.#setState(session, 'LoggingIn')
  }

  /** Returns the daemon's answer; a login that an earlier session left behind is cancelled first. */
  async #ask(session: LiveSession): Promise<string> {
    const ask = async () => (await session.client.login()).message ?? ''
    const isBusy = (text: string) => /already in progress/i.test(text)
    const first = await ask()
    if (!isBusy(first)) return first
    if (this.#parts.isBusyElsewhere(session)) throw new AppError('conflict', busyText)
    session.login.isEndPending = true
    await session.client.cancelLogin()
    const second = await ask()
    if (isBusy(second)) throw new AppError('conflict', busyText)
    return second
  }

  async #begin(session: LiveSession, { isSilent = false } = {}): Promise<void> {
    const { login } = session
    this.#started(session, { isSilent })
    try {
      if (!isSilent) this.#track(session)
      const answer = await this.#ask(session)
      if (/already logged in/i.test(answer)) await this.refresh(session)
    } catch (error) {
      if (login.isActive) this.#close(session, 'NotAuthenticated', failureText(error))
    }
  }

  async cancel(session: LiveSession): Promise<void> {
    const { login } = session
    const { challenge } = login
    if (!login.isActive) return
    login.challenge = null
    try {
      await answered(session.client.cancelLogin())
    } catch (error) {
      // The daemon still waits for it.
      if (login.isActive && session.status === 'Active') login.challenge = challenge
      throw error
    }
    if (!login.isActive) return
    login.isEndPending = true
    this.#close(session, 'NotAuthenticated', null)
  }

  /** Starts a login, or joins the one that runs, and waits for its first challenge. */
  async start(session: LiveSession): Promise<LoginStep> {
    const now = this.step(session)
    if (now.kind === 'loggedIn' || now.kind === 'challenge') return now
    if (!session.login.isActive) void this.#begin(session)
    return this.wait(session, timeLimitsMs.firstChallenge)
  }

  /** Takes up a stored sign-in; a daemon that asks for a credential stays signed out. */
  async resume(session: LiveSession): Promise<void> {
    if (session.authState === 'Authenticated' || session.login.isActive) return
    void this.#begin(session, { isSilent: true })
    const step = await this.wait(session, timeLimitsMs.firstChallenge)
    if (step.kind === 'loggedIn') return
    await this.cancel(session).catch((error: unknown) => {
      const reason = failureText(error)
      this.#parts.log.warn({ sessionId: session.id, reason }, 'a login was not cancelled')
    })
    session.login.failure = null
  }

  /**
   * Signs in with a sign-in that is stored here, encrypted for this daemon. Throws AppError:
   * `conflict` during another login and when the daemon refuses it; `refused` for a banned name.
   */
  async useStored(session: LiveSession, stored: StoredLogin & { username: string }): Promise<void> {
    const { login } = session
    if (session.authState === 'Authenticated') return
    if (login.isActive) throw new AppError('conflict', busyText)
    if (this.#parts.isNameBanned(stored.username)) throw new AppError('refused', bannedText)
    this.#started(session, { isSilent: true })
    try {
      await answered(session.client.provideStored(stored))
      session.username = stored.username
      await answered(this.refresh(session))
      if (login.isActive) throw new AppError('conflict', 'The daemon is still signed out')
    } catch (error) {
      if (login.isActive) this.#close(session, 'NotAuthenticated', failureText(error))
      throw error
    }
  }

  /**
   * Sends a credential, encrypted for this daemon and challenge. Throws AppError: `conflict` for a
   * challenge that the daemon does not wait for, or when it refuses the credential; `refused` for
   * a banned account name, whose login is cancelled.
   */
  async provide(
    session: LiveSession,
    { challengeId, credential }: { challengeId: string; credential: string },
  ): Promise<void> {
    const { login } = session
    const { challenge } = login
    if (challenge === null || challenge.challengeId !== challengeId || !this.#isValid(challenge)) {
      throw new AppError('conflict', 'The challenge is not waiting for a credential any more')
    }
    const isName = challenge.credentialType === 'username'
    if (isName && this.#parts.isNameBanned(credential)) {
      await this.cancel(session)
      throw new AppError('refused', bannedText)
    }
    await answered(session.client.provideCredential(challenge, credential))
    login.answeredId = challengeId
    if (login.challenge === challenge) login.challenge = null
    if (!isName) return
    session.username = credential.trim()
    session.accountUsername = session.username
    this.#parts.changed(session)
    this.#parts.announcer.updated(session)
  }

  /** Whether the daemon says that it is signed out. */
  async logout(session: LiveSession): Promise<boolean> {
    const isActive = session.login.isActive
    if (isActive) await this.cancel(session).catch(() => {})
    let isForgotten = false
    try {
      await session.client.logout()
      isForgotten = !(await session.client.status()).isLoggedIn
    } catch (error) {
      this.#parts.log.warn({ sessionId: session.id, reason: failureText(error) }, 'a logout failed')
    }
    if (isForgotten) {
      session.username = null
      session.accountUsername = null
      this.#close(session, 'NotAuthenticated', null)
    }
    return isForgotten
  }

  onChallenge(session: LiveSession, challenge: Challenge): void {
    const { login } = session
    // Of a login that someone else started at a shared daemon, or that was cancelled.
    if (!login.isActive || challenge.challengeId === login.answeredId) return
    login.challenge = challenge
    this.#setState(session, requiredStates[challenge.credentialType] ?? session.authState)
    if (!login.isSilent) this.#parts.announcer.challenge(session, challenge)
    this.#wake(session)
  }

  onNotice(session: LiveSession, { state, message, displayName }: AuthNotice): void {
    const isLoggedIn = state === 'logged-in'
    const isFailure = message?.startsWith(loginFailedPrefix) === true
    const isOwed = session.login.isEndPending && !isLoggedIn && !isFailure
    session.login.isEndPending = false
    // The end of a cancelled login must not end the next one.
    if (isOwed && session.login.isActive) return
    if (isLoggedIn) {
      session.accountUsername = displayName ?? session.accountUsername
    }
    const failure = isFailure && session.login.isActive ? message : null
    const news = { isLoggedIn, message: isFailure ? failure : message, authExpiryUtc: null }
    this.#parts.announcer.status(session, news)
    this.#close(session, isLoggedIn ? 'Authenticated' : 'NotAuthenticated', failure)
  }

  /** The daemon is lost, and the login with it. */
  fail(session: LiveSession, reason: string): void {
    const { login } = session
    if (login.isActive) this.#close(session, 'NotAuthenticated', reason)
  }

  /** A login that nobody goes on with: its challenge expired, or it never got one. */
  isAbandoned({ login }: LiveSession, limitSeconds: number): boolean {
    if (!login.isActive) return false
    if (login.challenge !== null) return !this.#isValid(login.challenge)
    return (this.#parts.clock.elapsedMs() - login.startedMs) / 1000 > limitSeconds
  }
}
