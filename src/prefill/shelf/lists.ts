/*
 * The games of all accounts, as their daemons list them. Sessions of platforms without a sign-in are
 * started when the shelf is opened, and end when nobody uses them any more.
 */
import { platformFacts, platforms, type Platform } from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import { firstOf, type Gated } from '../persistent/gates.ts'
import type { Persistent } from '../persistent/persistent.ts'
import { reasons } from '../reasons.ts'
import type { ReadyStore } from '../ready/store.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ShelfPlatform } from './model.ts'

const tickMs = 60_000
/** Without a run and without a reader a session that the shelf started ends. */
const idleMs = 15 * 60_000
/** Before a daemon that failed to start, or to list its games, is asked again. */
const retryMs = 60_000

interface Features {
  sessions: Sessions
  service: SessionService
  persistent: Persistent
  gated: Gated
  board: Pick<ReadyStore, 'of'>
}

/** What the accounts of a platform have. */
export interface Listed extends Omit<ShelfPlatform, 'games'> {
  /** By id. */
  names: ReadonlyMap<string, string>
}

/** Work of which one piece per key goes on at a time; failures are kept for a while. */
function createAttempts<Key>(clock: PrefillParts['clock']) {
  const going = new Set<Key>()
  const failed = new Map<Key, { text: string; atMs: number }>()
  return {
    isGoing: (key: Key) => going.has(key),
    failure: (key: Key): string | null => failed.get(key)?.text ?? null,
    async attempt(key: Key, work: () => Promise<unknown>): Promise<void> {
      const last = failed.get(key)
      if (going.has(key) || (last !== undefined && clock.elapsedMs() - last.atMs < retryMs)) return
      going.add(key)
      try {
        await work()
        failed.delete(key)
      } catch (error) {
        failed.set(key, { text: failureText(error), atMs: clock.elapsedMs() })
      } finally {
        going.delete(key)
      }
    },
  }
}

export function createLists(parts: PrefillParts, features: Features) {
  const { clock, timers, transports } = parts
  const { sessions, service, persistent, gated, board } = features
  const starts = createAttempts<Platform>(clock)
  const listings = createAttempts<LiveSession>(clock)
  const opened = new Set<LiveSession>()
  let readMs = -Infinity
  let cancelTick = () => {}

  /** Starts the session of a platform without a sign-in, if there is none. Does not reject. */
  async function open(platform: Platform): Promise<void> {
    const isThere = sessions.persistentsOf(platform).length > 0
    if (platformFacts[platform].needsLogin || isThere) return
    await starts.attempt(platform, async () => {
      if (!(await transports[platform].isAvailable())) return
      opened.add(await gated(firstOf(platform), () => persistent.start(firstOf(platform))))
    })
  }

  /** Others need its session as well. */
  const isNeeded = ({ platform, run }: LiveSession): boolean =>
    run !== null || persistent.isScheduled(platform) || board.of(platform).length > 0

  async function endIdle(): Promise<void> {
    const isRead = clock.elapsedMs() - readMs < idleMs
    for (const session of opened) {
      if (sessions.get(session.id) === null) opened.delete(session)
      else if (!isRead && !isNeeded(session)) {
        opened.delete(session)
        await sessions.end(session, { reason: reasons.expired, by: 'system', isForced: false })
      }
    }
  }

  function tick(): void {
    cancelTick = timers.after(tickMs, tick)
    void endIdle()
  }

  function stateOf(platform: Platform, asked: readonly LiveSession[]) {
    const failure = starts.failure(platform)
    if (asked.some(({ games }) => games !== null)) return { state: 'ready', problem: null } as const
    const [first] = asked
    if (first !== undefined) {
      const problem = listings.failure(first)
      return { state: problem === null ? 'listing' : 'failed', problem } as const
    }
    if (starts.isGoing(platform)) return { state: 'listing', problem: null } as const
    if (failure !== null) return { state: 'failed', problem: failure } as const
    if (sessions.persistentsOf(platform).length === 0)
      return { state: 'off', problem: null } as const
    // A session without a sign-in has just started.
    const state = platformFacts[platform].needsLogin ? 'signedOut' : 'listing'
    return { state, problem: null } as const
  }

  return {
    start: tick,
    stop: () => cancelTick(),
    open,
    openAll: (): void => {
      for (const platform of platforms) void open(platform)
    },
    /** As they were listed last; what is old or missing is listed again meanwhile. */
    of(platform: Platform): Listed {
      readMs = clock.elapsedMs()
      const isIn = ({ authState }: LiveSession) => authState === 'Authenticated'
      const asked = sessions.persistentsOf(platform).filter(isIn)
      for (const session of asked) {
        void listings.attempt(session, () => service.ownedIds(session))
      }
      // The first account that has a game names it.
      const names = new Map(asked.toReversed().flatMap(({ games }) => [...(games?.names ?? [])]))
      return { platform, ...stateOf(platform, asked), names }
    },
  }
}
