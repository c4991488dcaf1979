import type { Caller } from '../../core/caller.ts'
import type { PrefillParts } from '../parts.ts'
import { reasons } from '../reasons.ts'
import type { DaemonSession } from '../sessions/model.ts'
import { runRequestOf, type RunJobs, type StartedRun } from '../sessions/run-jobs.ts'
import type { SessionService } from '../sessions/service.ts'
import { sessionView } from '../sessions/view.ts'
import { EditSessions } from './edit-sessions.ts'
import type * as model from './model.ts'
import { firstOf, type Target } from './gates.ts'
import { createLoginCalls, type Step, type PersistentFeatures } from './login-calls.ts'
import { requirePlatform } from './persistent.ts'

interface Parts extends PrefillParts, PersistentFeatures {
  service: SessionService
  runs: RunJobs
}

export type PersistentService = ReturnType<typeof createPersistentService>

function createEdits({ log, sessions, service }: Parts): EditSessions {
  const { logins } = sessions
  const ending = { reason: reasons.editOver, by: 'system', isForced: false }
  return new EditSessions({
    log,
    logins,
    find: (platform) => sessions.persistentOf(platform),
    isLive: (sessionId) => sessions.get(sessionId) !== null,
    stop: (session) => sessions.end(session, { ...ending, forgetsLogin: true }),
    select: (session, appIds) => service.select(session, appIds),
  })
}

/** Sessions that administrators manage for all, and that schedules use. */
export function createPersistentService(parts: Parts) {
  const { clock, sessions, persistent, service, runs, gated } = parts
  const edits = createEdits(parts)
  const step: Step = (kind, body, run) => {
    const platform = requirePlatform(body.service)
    const session = persistent.current(firstOf(platform), body.sessionId)
    const inTurn = () => gated(session, () => run(session))
    return edits.run(body, { kind, platform, sessionId: session.id, run: inTurn })
  }

  return {
    ...createLoginCalls(parts, { edits, step }),

    async start(body: Target): Promise<DaemonSession> {
      const platform = requirePlatform(body.service)
      const session = await edits.run(body, {
        kind: 'start',
        platform,
        run: () => gated(firstOf(platform), () => persistent.start(firstOf(platform))),
        sessionOf: ({ id }) => id,
      })
      return sessionView(session, clock.now())
    },

    async stop(caller: Caller, sessionId: string): Promise<void> {
      await persistent.stop(caller, sessionId)
    },

    async games(wanted: string | undefined): Promise<model.Games> {
      const session = persistent.current(firstOf(requirePlatform(wanted)), null)
      const games = await service.games(session)
      // Only Steam's daemons report what is kept there.
      const isKept = session.platform === 'alpha'
      return { games, cachedAppIds: isKept ? sessions.stores.depots.appIds() : [] }
    },

    async select(body: Target & { appIds: readonly string[] }): Promise<void> {
      await step('selection', body, (session) => service.select(session, body.appIds))
    },

    /** Starts a run, with the given apps as the new selection. Throws AppError. */
    prefill(body: model.PrefillBody): Promise<StartedRun> {
      return step('prefill', body, async (session) => {
        sessions.runs.checkFree(session)
        if (body.appIds !== null && body.appIds !== undefined && body.appIds.length > 0) {
          await service.select(session, body.appIds)
        }
        const started = runs.submit(session, runRequestOf(body))
        edits.noteRun(body, session, started)
        return started
      })
    },

    async cancelPrefill({ service: wanted, sessionId }: Target): Promise<void> {
      const slot = firstOf(requirePlatform(wanted))
      await sessions.runs.cancel(persistent.current(slot, sessionId))
    },

    cleanUp: (body: model.CleanupBody) => edits.cleanUp(body),
    clearLogins: (caller: Caller) => persistent.clearLogins(caller),
    list: () => persistent.list(),
  }
}
