import type { Static } from '@sinclair/typebox'
import { AppError } from '../../core/http/errors.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import { bannedText, challengeWaitMs, type LoginStep } from '../sessions/logins.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import { challengeView } from '../sessions/view.ts'
import type { ActionKind, EditSessions } from './edit-sessions.ts'
import type { Gated, Target } from './gates.ts'
import type * as model from './model.ts'
import { requirePlatform, type Persistent } from './persistent.ts'
import { storedLogin } from './stored-logins.ts'

/** A login that has no challenge yet is waited for once more. */
const secondWaitMs = 10_000

interface Parts extends Pick<PrefillParts, 'credentials'> {
  sessions: Sessions
  persistent: Persistent
}

/** Does a step about the current session, after the platform's earlier ones. Throws AppError. */
export type Step = <T>(
  kind: ActionKind,
  body: Target,
  run: (session: LiveSession) => Promise<T>,
) => Promise<T>

interface Order {
  edits: EditSessions
  gated: Gated
  step: Step
}

const targetOf = ({ persistent }: Parts, { service, sessionId }: Target) => {
  const platform = requirePlatform(service)
  return { platform, session: persistent.current(platform, sessionId) }
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

/** Starting logins and waiting for their challenges. */
function startCalls(parts: Parts, { edits, gated }: Order) {
  const { persistent, sessions } = parts
  const { logins } = sessions
  return {
    /** Starts or joins a login. Throws AppError. */
    async login(body: Target): Promise<model.LoginAnswer> {
      const { platform, session } = targetOf(parts, body)
      const step = await edits.run(body, {
        kind: 'login',
        platform,
        sessionId: session.id,
        async run() {
          const first = await logins.start(session)
          return first.kind === 'waiting' ? logins.wait(session, secondWaitMs) : first
        },
      })
      const answer = loginAnswer(session, step)
      if (answer !== null) return answer
      throw new AppError('invalid', 'Login timeout - daemon may not be ready')
    },

    /** Hands the stored sign-in of this installation to the daemon. Throws AppError. */
    async useStored(body: Target): Promise<Static<typeof model.LoggedIn>> {
      const { platform, session } = targetOf(parts, body)
      const stored = storedLogin(parts.credentials, platform)
      if (stored === null) {
        const { title } = platformFacts[platform]
        throw new AppError('invalid', `No sign-in to ${title} is stored that a daemon can use`)
      }
      await gated(platform, () => logins.useStored(session, stored))
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
      const session = persistent.current(platform, query.sessionId)
      const step = await logins.wait(session, challengeWaitMs(query.timeoutSeconds))
      return loginAnswer(session, step)
    },
  }
}

/** Credentials, and the ends of logins. */
function endCalls({ sessions }: Parts, { step }: Order) {
  const { logins } = sessions
  return {
    /** Throws AppError. */
    async credential(body: model.CredentialBody): Promise<void> {
      const challengeId = body.challenge?.challengeId ?? ''
      const credential = body.credential ?? ''
      if ((body.sessionId ?? '') === '' || challengeId === '' || credential === '') {
        throw new AppError('invalid', 'sessionId, challenge and credential is required')
      }
      await step('credential', body, async (session) => {
        try {
          await logins.provide(session, { challengeId, credential })
        } catch (error) {
          if (!(error instanceof AppError) || error.message === bannedText) throw error
          const extra = { state: 'active', detail: error.message }
          throw new AppError('conflict', 'credential_rejected', { extra, cause: error })
        }
      })
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

    async logout(body: Target): Promise<model.Logout> {
      const forgotten = await step('logout', body, async (session) => {
        // Published daemons go on with what needs no account.
        await sessions.runs.cancel(session)
        return logins.logout(session)
      })
      return { forgotten, fallback: forgotten ? null : 'restart-required' }
    },
  }
}

/** Logins of persistent sessions. */
export const createLoginCalls = (parts: Parts, order: Order) => ({
  ...startCalls(parts, order),
  ...endCalls(parts, order),
})
