/*
 * What daemons say of games of the shelf: rows like those of the readiness board, asked for by its
 * check and judged by its rules, but in memory. Games of the board begin with what it knows; games
 * that were downloaded before count as current until a check says otherwise.
 */
import { platforms, type Platform } from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import { ReadyCheck } from '../ready/check.ts'
import type { ReadyRow, ReadyStore } from '../ready/store.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** Answers that are younger are not asked for again. */
const freshMs = 3_600_000
/** What got no answer, because a run went on, is asked for again. */
const retryMs = 60_000
/** Games of each platform that one round asks for, and rounds of one call. */
const askedPerRound = 25
const roundsMax = 8

export type GameId = Pick<ReadyRow, 'platform' | 'appId'>
export const keyOf = ({ platform, appId }: GameId): string => `${platform} ${appId}`

interface Features {
  sessions: Sessions
  service: SessionService
  board: Pick<ReadyStore, 'list'>
}

export type Picked = ReturnType<typeof createPicked>

export function createPicked(parts: PrefillParts, { sessions, service, board }: Features) {
  const { clock } = parts
  const rows = new Map<string, ReadyRow>()
  /** When an answer is too old, in elapsed time; of versions, and of sizes with versions. */
  const staleMs = { versions: new Map<string, number>(), sizes: new Map<string, number>() }
  const stopping = new AbortController()
  let downloads: Map<string, number> | null = null
  let asking: Promise<void> | null = null
  sessions.onRuns(() => (downloads = null))

  /** Sizes of the games that were downloaded before, by key. */
  function downloaded(): ReadonlyMap<string, number> {
    downloads ??= new Map(
      platforms.flatMap((platform) =>
        sessions.stores.history
          .downloads(platform)
          .map(({ appId, totalBytes }) => [keyOf({ platform, appId }), totalBytes] as const),
      ),
    )
    return downloads
  }

  function rowOf(game: GameId & { name: string }, onBoard: ReadonlyMap<string, ReadyRow>) {
    const key = keyOf(game)
    const size = downloaded().get(key) ?? null
    const row = rows.get(key) ?? {
      dueAt: null,
      addedAt: clock.now(),
      checkedAt: null,
      isCurrent: size === null ? null : true,
      totalBytes: size,
      unavailable: null,
      problem: null,
      newBuildAt: null,
      clients: 0,
      fetchedAt: null,
      seenBytes: null,
      ...onBoard.get(key),
      platform: game.platform,
      appId: game.appId,
      name: game.name,
    }
    rows.set(key, row)
    return row
  }

  const known = () => new Map(board.list().map((row) => [keyOf(row), row]))

  const note: ReadyStore['note'] = (game, values) => {
    const row = rows.get(keyOf(game))
    if (row !== undefined) rows.set(keyOf(game), { ...row, ...values })
  }

  const isStale = (row: ReadyRow, what: keyof typeof staleMs): boolean =>
    clock.elapsedMs() >= (staleMs[what].get(keyOf(row)) ?? 0)

  /** The next games of each platform that nobody was asked about lately. */
  function nextOf(wanted: readonly ReadyRow[], what: keyof typeof staleMs) {
    const stale = wanted.filter((row) => isStale(row, what))
    const byPlatform = platforms.map((platform) => {
      const own = stale.filter((row) => row.platform === platform).slice(0, askedPerRound)
      return [platform, own] as const
    })
    return new Map(byPlatform.filter(([, own]) => own.length > 0))
  }

  async function askAll(wanted: readonly ReadyRow[], what: keyof typeof staleMs): Promise<void> {
    for (let round = 0; round < roundsMax && !stopping.signal.aborted; round++) {
      const next = nextOf(wanted, what)
      if (next.size === 0) return
      const of = (platform: Platform) =>
        (next.get(platform) ?? []).flatMap((row) => rows.get(keyOf(row)) ?? [])
      const check = new ReadyCheck(parts, { sessions, service, store: { of, note } })
      await check.run(stopping, [...next.keys()], { hasSizes: what === 'sizes' })
      for (const row of [...next.values()].flat()) {
        const isAnswered = rows.get(keyOf(row))?.checkedAt !== row.checkedAt
        staleMs[what].set(keyOf(row), clock.elapsedMs() + (isAnswered ? freshMs : retryMs))
      }
    }
  }

  return {
    stop: () => stopping.abort(),
    downloaded,
    note,
    find: (game: GameId): ReadyRow | null => rows.get(keyOf(game)) ?? null,
    /** The rows of these games, which are made if there are none. */
    rowsOf(games: readonly (GameId & { name: string })[]): ReadyRow[] {
      const onBoard = known()
      return games.map((game) => rowOf(game, onBoard))
    },
    /** Asks which of the games are current, and for sizes; whether that goes on. */
    ask(wanted: readonly ReadyRow[], what: keyof typeof staleMs): boolean {
      if (asking === null && wanted.some((row) => isStale(row, what))) {
        asking = askAll(wanted, what).finally(() => (asking = null))
      }
      return asking !== null
    },
  }
}
