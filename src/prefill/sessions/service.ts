import pLimit, { type LimitFunction } from 'p-limit'
import { isAccountHolder, type Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { PrefillParts } from '../parts.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { OwnedGame as DaemonGame, SelectedApp } from '../protocol/apps.ts'
import type { OwnedGame, PrefillCacheStatus } from './model.ts'
import { answered } from './refusals.ts'
import { usable } from './run-jobs.ts'
import type { Sessions } from './sessions.ts'
import type { LiveSession } from './state.ts'
import { gameView } from './view.ts'

/** How long the games of an account are not listed again for a schedule. */
const listedMs = 10 * 60_000

const digitsOnly = (appIds: readonly string[]) => appIds.filter((id) => /^\d{1,15}$/.test(id))

/** Selections of daemons, and what depends on them. */
function createSelections() {
  const turns = new WeakMap<LiveSession, LimitFunction>()

  /** What depends on the selection of a daemon happens one after the other. */
  function inTurn<T>(session: LiveSession, work: () => Promise<T>): Promise<T> {
    const turn = turns.get(session) ?? pLimit(1)
    turns.set(session, turn)
    return turn(work)
  }

  async function replaceSelection(session: LiveSession, appIds: readonly string[]) {
    await answered(usable(session).client.selectApps(appIds))
    session.selectedAppIds = [...appIds]
  }

  return {
    /** Replaces the selection of the daemon. Throws AppError. */
    select: (session: LiveSession, appIds: readonly string[]): Promise<void> =>
      inTurn(session, () => replaceSelection(session, appIds)),

    /**
     * What a download of these apps would be. A published image answers only for its selection, which
     * is as before afterwards; nobody else changes it meanwhile. Null: a run goes on. Throws AppError.
     */
    sizes(session: LiveSession, appIds: readonly string[], systems: readonly string[]) {
      const { client, isLarders } = usable(session)
      const ask = async (list: readonly string[] | null) =>
        (await answered(client.selectedAppsStatus(systems, { list }))).apps
      if (isLarders) return ask(appIds)
      return inTurn(session, async (): Promise<SelectedApp[] | null> => {
        // Whoever has just selected games begins its run first.
        await Bun.sleep(0)
        if (session.run !== null) return null
        const before = session.selectedAppIds ?? (await answered(client.selectedApps()))
        await replaceSelection(session, appIds)
        try {
          return await ask(null)
        } finally {
          await replaceSelection(session, before)
        }
      })
    },
  }
}

export type SessionService = ReturnType<typeof createSessionService>

/** What a session's user, and administrators of persistent sessions, ask of its daemon. */
export function createSessionService({ clock }: PrefillParts, sessions: Sessions) {
  const { depots } = sessions.stores

  async function list(session: LiveSession): Promise<DaemonGame[]> {
    const games = await answered(usable(session).client.ownedGames())
    const names = new Map(games.map(({ appId, name }) => [appId, name]))
    session.games = { names, listedMs: clock.elapsedMs() }
    return games
  }

  return {
    /**
     * The caller's session. Throws AppError: `notFound`, or `forbidden` for a session of someone
     * else. Persistent sessions belong to all accounts.
     */
    own(caller: Caller, platform: Platform, sessionId: string): LiveSession {
      const session = sessions.get(sessionId)
      if (session === null || session.platform !== platform) {
        throw new AppError('notFound', 'Session not found')
      }
      const isOwn = session.userId === caller.sessionId
      if (!isOwn && !(session.isPersistent && isAccountHolder(caller))) {
        throw new AppError('forbidden')
      }
      session.lastSeenAt = clock.now()
      return session
    },

    games: async (session: LiveSession): Promise<OwnedGame[]> =>
      (await list(session)).map(gameView),

    /** Ids of the account's games, as listed within the last minutes. Throws AppError. */
    async ownedIds(session: LiveSession): Promise<ReadonlySet<string>> {
      const { games } = session
      const isRecent = games !== null && clock.elapsedMs() - games.listedMs < listedMs
      if (isRecent) return new Set(games.names.keys())
      return new Set((await list(session)).map(({ appId }) => appId))
    },

    async cacheStatus(
      session: LiveSession,
      appIds: readonly string[] | null | undefined,
    ): Promise<PrefillCacheStatus> {
      if (appIds === null || appIds === undefined || appIds.length === 0) {
        throw new AppError('invalid', 'No app IDs provided')
      }
      const { client, platform } = usable(session)
      const known = platform === 'alpha' ? depots.ofApps(digitsOnly(appIds)) : []
      if (platform === 'alpha' && known.length === 0) {
        const message = 'No cached depots found'
        return { upToDateAppIds: [], outdatedAppIds: [], message }
      }
      const asked = platform === 'alpha' ? client.depotStatus(known) : client.appStatus(appIds)
      const { apps, message } = await answered(asked)
      const ids = (isUpToDate: boolean) =>
        apps.filter((app) => app.isUpToDate === isUpToDate).map(({ appId }) => appId)
      return { upToDateAppIds: ids(true), outdatedAppIds: ids(false), message }
    },

    ...createSelections(),
  }
}

/** The sessions, and what is done with them. */
export interface SessionFeatures {
  sessions: Sessions
  service: SessionService
}
