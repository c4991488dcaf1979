import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import { bannedText, challengeWaitMs, type LoginStep } from '../sessions/logins.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import { challengeView } from '../sessions/view.ts'
import type { ActionKind, EditSessions } from './edit-sessions.ts'
import { firstOf, type Gated, type Target } from './gates.ts'
import type * as model from './model.ts'
import { requirePlatform, type Persistent } from './persistent.ts'
import { storedLogin } from './stored-logins.ts'

/** A login that has no challenge yet is waited for once more. */
const secondWaitMs = 10_000

export interface PersistentFeatures {
  sessions: Sessions
  persistent: Persistent
  gated: Gated
}

type Parts = PersistentFeatures & Pick<PrefillParts, 'credentials'>

/** Does a step about the current session, after the account's earlier ones. Throws AppError. */
export type Step = <T>(
  kind: ActionKind,
  body: Target,
  run: (session: LiveSession) => Promise<T>,
) => Promise<T>

interface Order {
  edits: EditSessions
  step: Step
}

const targetOf = ({ persistent }: Parts, { service, sessionId }: Target) => {
  const platform = requirePlatform(service)
  return { platform, session: persistent.current(firstOf(platform), sessionId) }
}

const loggedIn = (session: LiveSession, message: string | null) => ({
  sessionId: session.id,
  status: 'logged-in',
  message,
})

/** Null: nothing yet. Throws AppError `invalid` for a failed login. */
function loginAnswer(session: LiveSession, step: LoginStep): model.LoginAnswer | null {
  if (step.kind === 'loggedIn') return loggedIn(session, 'Already logged in')
  if (step.kind === 'challenge') return challengeView(session, step.challenge)
  if (step.kind === 'waiting') return null
  const reason = step.reason.startsWith('Login failed:')
    ? step.reason
    : `Login failed: ${step.reason}`
  throw new AppError('invalid', reason)
}

/** What a login is asked, of whichever account the session is. All throw AppError. */
export function createLoginSteps({
  sessions: { logins, runs },
  persistent,
  gated,
}: PersistentFeatures) {
  return {
    /** The session, or a new one in place of one whose sign-in has expired. */
    valid: async (caller: Caller, session: LiveSession): Promise<LiveSession> =>
      session.needsRelogin ? gated(session, () => persistent.renew(caller, session)) : session,

    /** Starts or joins a login, and waits for its first question. */
    async begin(session: LiveSession): Promise<LoginStep> {
      const first = await logins.start(session)
      return first.kind === 'waiting' ? logins.wait(session, secondWaitMs) : first
    },

    begun(session: LiveSession, step: LoginStep): model.LoginAnswer {
      const answer = loginAnswer(session, step)
      if (answer !== null) return answer
      throw new AppError('invalid', 'Login timeout - daemon may not be ready')
    },

    /** The challenge that is waiting for a credential; null: none yet. */
    async challenge(
      session: LiveSession,
      timeoutSeconds: number | undefined,
    ): Promise<model.LoginAnswer | null> {
      return loginAnswer(session, await logins.wait(session, challengeWaitMs(timeoutSeconds)))
    },

    async provide(
      session: LiveSession,
      answer: { challengeId: string; credential: string },
    ): Promise<void> {
      try {
        await logins.provide(session, answer)
      } catch (error) {
        if (!(error instanceof AppError) || error.message === bannedText) throw error
        const extra = { state: 'active', detail: error.message }
        throw new AppError('conflict', 'credential_rejected', { extra, cause: error })
      }
    },

    async logout(session: LiveSession): Promise<model.Logout> {
      // Published daemons go on with what needs no account.
      await runs.cancel(session)
      const forgotten = await logins.logout(session)
      return { forgotten, fallback: forgotten ? null : 'restart-required' }
    },
  }
}

/** Logins of the first accounts, as the documented API has them. */
export function createLoginCalls(parts: Parts, { edits, step }: Order) {
  const { persistent, sessions, gated } = parts
  const { logins } = sessions
  const steps = createLoginSteps(parts)
  return {
    /** Starts or joins a login. Throws AppError. */
    async login(caller: Caller, body: Target): Promise<model.LoginAnswer> {
      const { platform, session: known } = targetOf(parts, body)
      const session = await steps.valid(caller, known)
      const reached = await edits.run(body, {
        kind: 'login',
        platform,
        sessionId: session.id,
        run: () => steps.begin(session),
      })
      return steps.begun(session, reached)
    },

    /** Hands the stored sign-in of this installation to the daemon. Throws AppError. */
    async useStored(body: Target): Promise<Static<typeof model.LoggedIn>> {
      const { platform, session } = targetOf(parts, body)
      const stored = storedLogin(parts.credentials, platform)
      if (stored === null) {
        const { title } = platformFacts[platform]
        throw new AppError('invalid', `No sign-in to ${title} is stored that a daemon can use`)
      }
      await gated(session, () => logins.useStored(session, stored))
      return loggedIn(session, null)
    },

    /** The challenge that is waiting for a credential; null: none yet. Throws AppError. */
    async challenge(query: {
      service?: string | undefined
      sessionId?: string | undefined
      timeoutSeconds?: number | undefined
    }): Promise<model.LoginAnswer | null> {
      const platform = requirePlatform(query.service)
      if ((query.sessionId ?? '') === '') throw new AppError('invalid', 'sessionId is required')
      const session = persistent.current(firstOf(platform), query.sessionId)
      return steps.challenge(session, query.timeoutSeconds)
    },

    /** Throws AppError. */
    async credential(body: model.CredentialBody): Promise<void> {
      const challengeId = body.challenge?.challengeId ?? ''
      const credential = body.credential ?? ''
      if ((body.sessionId ?? '') === '' || challengeId === '' || credential === '') {
        throw new AppError('invalid', 'sessionId, challenge and credential is required')
      }
      await step('credential', body, (session) =>
        steps.provide(session, { challengeId, credential }),
      )
    },

    /** False: the session has ended, and its login with it. Throws AppError. */
    async cancelLogin({ service, sessionId }: Target): Promise<boolean> {
      const platform = requirePlatform(service)
      if ((sessionId ?? '') === '') throw new AppError('invalid', 'sessionId is required')
      const session = sessions.persistentOf(platform)
      if (session === null || session.id !== sessionId) return false
      await logins.cancel(session)
      return true
    },

    logout: (body: Target): Promise<model.Logout> =>
      step('logout', body, (session) => steps.logout(session)),
  }
}
