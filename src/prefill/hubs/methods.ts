import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { HubClient } from '../../core/live/contract.ts'
import { platformCalls, type PlatformCall } from './payloads.ts'
import { AppError } from '../../core/http/errors.ts'
import type { PrefillParts } from '../parts.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { reasons } from '../reasons.ts'
import { challengeWaitMs, type LoginStep } from '../sessions/logins.ts'
import { answered } from '../sessions/refusals.ts'
import { systemsOf, usable } from '../sessions/run-jobs.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { LiveSession } from '../sessions/state.ts'
import { challengeView, progressView, sessionView } from '../sessions/view.ts'
import type { PlatformCalls } from './contract.ts'
import type { AnswerCall, CallingHub } from './platform-hub.ts'

interface Call {
  client: HubClient
  args: readonly unknown[]
}

type Method = (call: Call) => unknown

/** Methods about one session, with the results that the hub's contract promises. */
type SessionMethods<M extends PlatformCall> = {
  [N in M]: (call: Call, session: LiveSession) => Awaitable<ReturnType<PlatformCalls[N]>>
}
type Awaitable<T> = T | Promise<T>
type LoginCall =
  'StartLoginAsync' | 'WaitForChallengeAsync' | 'ProvideCredentialAsync' | 'CancelLoginAsync'
type CallerCall = 'CreateSessionAsync' | 'GetMySessions'

/** The argument at this place. Throws AppError when it has another form. */
function argument<T extends TSchema>({ args }: Call, at: number, schema: T): Static<T> {
  const value = args[at] ?? null
  if (Value.Check(schema, value)) return value
  throw new AppError('invalid', `Argument ${at + 1} is not valid`)
}

/** The challenge that a login has reached; null: none yet, or none needed. Throws AppError. */
function challengeOf(session: LiveSession, step: LoginStep) {
  if (step.kind === 'failed') throw new AppError('conflict', step.reason)
  return step.kind === 'challenge' ? challengeView(session, step.challenge) : null
}

interface Parts extends PrefillParts, SessionFeatures {
  platform: Platform
  /** The hub whose calls these are. */
  own: () => CallingHub
}

const loginMethods = ({ sessions: { logins } }: Parts): SessionMethods<LoginCall> => ({
  StartLoginAsync: async (_, session) => challengeOf(session, await logins.start(usable(session))),
  async WaitForChallengeAsync(call, session) {
    const [, wait] = platformCalls.WaitForChallengeAsync
    const waitMs = challengeWaitMs(argument(call, 1, wait))
    return challengeOf(session, await logins.wait(session, waitMs))
  },
  async ProvideCredentialAsync(call, session) {
    const [, challenge, credential] = platformCalls.ProvideCredentialAsync
    const { challengeId } = argument(call, 1, challenge)
    await logins.provide(usable(session), {
      challengeId,
      credential: argument(call, 2, credential),
    })
  },
  CancelLoginAsync: (_, session) => logins.cancel(session),
})

function daemonMethods({
  clock,
  sessions,
  own,
}: Parts): SessionMethods<Exclude<PlatformCall, LoginCall | CallerCall>> {
  const progressOf = ({ lastProgress, run }: LiveSession) =>
    run === null || lastProgress === null ? null : progressView(lastProgress)
  return {
    SubscribeToSessionAsync({ client }, session) {
      own().follow(client, session.id)
      client.send({ event: 'SessionSubscribed', data: sessionView(session, clock.now()) })
      const progress = progressOf(session)
      if (progress !== null) sessions.announcer.replay(session, client, progress)
    },
    CancelPrefillAsync: (_, session) => sessions.runs.cancel(session),
    async ClearCacheAsync(_, session) {
      const { message } = await answered(usable(session).client.clearCache())
      return { success: true, message: message ?? 'Cache cleared' }
    },
    GetSelectedAppsStatusAsync(call, session) {
      const [, systems, cache] = platformCalls.GetSelectedAppsStatusAsync
      const wanted = systemsOf(argument(call, 1, systems) ?? null)
      const chosen = sessions.runs.cacheOf(session, argument(call, 2, cache) ?? null)
      return answered(usable(session).client.selectedAppsStatus(wanted, { cache: chosen }))
    },
    EndSessionAsync: ({ client }, session) =>
      sessions.end(session, {
        reason: reasons.ended,
        by: client.caller.sessionId ?? 'system',
        isForced: false,
      }),
    GetLastPrefillResult: (_, { lastRun }) =>
      lastRun === null
        ? null
        : {
            status: lastRun.state,
            completedAt: lastRun.completedAt.toISOString(),
            durationSeconds: lastRun.seconds,
            errorMessage: lastRun.errorMessage,
          },
    GetCurrentPrefillProgress: (_, session) => progressOf(session),
  }
}

/** The calls of a platform's hub. The caller's right is checked again on each of them. */
export function createMethods(parts: Parts): AnswerCall {
  const { clock, sessions, service, users, platform } = parts
  const view = (session: LiveSession) => sessionView(session, clock.now())
  const ofSession = { ...loginMethods(parts), ...daemonMethods(parts) }
  const [id] = platformCalls.SubscribeToSessionAsync
  const ofCaller: Record<CallerCall, Method> = {
    CreateSessionAsync: async ({ client }) => view(await sessions.create(client.caller, platform)),
    GetMySessions: ({ client }) =>
      sessions
        .all()
        .filter((one) => one.platform === platform && one.userId === client.caller.sessionId)
        .map(view),
  }
  const methods = new Map<string, Method>([
    ...Object.entries(ofCaller),
    ...Object.entries(ofSession).map(([name, method]): [string, Method] => [
      name,
      (call) => method(call, service.own(call.client.caller, platform, argument(call, 0, id))),
    ]),
  ])

  return async (client, name, args) => {
    const userId = client.caller.sessionId
    if (userId === null) throw new AppError('unauthenticated', 'Session required')
    if (!users.mayPrefill(userId, platform)) throw new AppError('forbidden')
    const method = methods.get(name)
    if (method === undefined) throw new AppError('invalid', 'Unknown method')
    return method({ client, args })
  }
}
