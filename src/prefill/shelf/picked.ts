/*
 * What daemons say of games of the shelf: rows like those of the readiness board, asked for by its
 * check and judged by its rules, but in memory. Games of the board begin with what it knows; games
 * that were downloaded before count as current until a check says otherwise.
 */
import { platforms, type Platform } from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import { ReadyCheck } from '../ready/check.ts'
import type { ReadyRow, ReadyStore } from '../ready/store.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import type { LiveSession } from '../sessions/state.ts'

/** Answers that are younger are not asked for again. */
const freshMs = 3_600_000
/** What got no answer, because a run went on, is asked for again. */
const retryMs = 60_000
/** Games of each platform that one round asks for, and rounds of one call. */
const askedPerRound = 25
const roundsMax = 8

export type GameId = Pick<ReadyRow, 'platform' | 'appId'>
export const keyOf = ({ platform, appId }: GameId): string => `${platform} ${appId}`

type What = 'versions' | 'sizes'

interface Features extends SessionFeatures {
  board: Pick<ReadyStore, 'list'>
}

/** Rows of games, by key. */
export class Picked {
  readonly #parts: PrefillParts
  readonly #features: Features
  readonly #rows = new Map<string, ReadyRow>()
  /** When an answer is too old, in elapsed time; of versions, and of sizes with versions. */
  readonly #staleMs = { versions: new Map<string, number>(), sizes: new Map<string, number>() }
  readonly #stopping = new AbortController()
  #downloads: Map<string, number> | null = null
  #asking: Promise<void> | null = null

  constructor(parts: PrefillParts, features: Features) {
    this.#parts = parts
    this.#features = features
    features.sessions.onRuns(() => (this.#downloads = null))
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Sizes of the games that were downloaded before, by key. */
  downloaded(): ReadonlyMap<string, number> {
    const { history } = this.#features.sessions.stores
    this.#downloads ??= new Map(
      platforms.flatMap((platform) =>
        history
          .downloads(platform)
          .map(({ appId, totalBytes }) => [keyOf({ platform, appId }), totalBytes] as const),
      ),
    )
    return this.#downloads
  }

  note(game: GameId, values: Partial<ReadyRow>): void {
    const row = this.#rows.get(keyOf(game))
    if (row !== undefined) this.#rows.set(keyOf(game), { ...row, ...values })
  }

  /** The rows of these games, which are made if there are none. */
  rowsOf(games: readonly (GameId & { name: string })[]): ReadyRow[] {
    const onBoard = new Map(this.#features.board.list().map((row) => [keyOf(row), row]))
    return games.map((game) => {
      const key = keyOf(game)
      const row = this.#rows.get(key) ?? this.#newRow(game, onBoard.get(key))
      this.#rows.set(key, row)
      return row
    })
  }

  /** The games that a session's daemon has selected. Does not reject. */
  async selected(session: LiveSession): Promise<ReadyRow[]> {
    const { platform } = session
    const chosen = await session.client.selectedApps().catch(() => [])
    await this.#features.service.ownedIds(session).catch(() => null)
    const name = (appId: string) => session.games?.names.get(appId) ?? appId
    return this.rowsOf(chosen.map((appId) => ({ platform, appId, name: name(appId) })))
  }

  #newRow(game: GameId & { name: string }, onBoard: ReadyRow | undefined): ReadyRow {
    const size = this.downloaded().get(keyOf(game)) ?? null
    return {
      dueAt: null,
      addedAt: this.#parts.clock.now(),
      checkedAt: null,
      isCurrent: size === null ? null : true,
      totalBytes: size,
      unavailable: null,
      problem: null,
      newBuildAt: null,
      clients: 0,
      fetchedAt: null,
      seenBytes: null,
      ...onBoard,
      ...game,
    }
  }

  /** Asks which of the games are current, and for sizes; whether that goes on. */
  ask(wanted: readonly ReadyRow[], what: What): boolean {
    if (this.#asking === null && wanted.some((row) => this.#isStale(row, what))) {
      this.#asking = this.#askAll(wanted, what).finally(() => (this.#asking = null))
    }
    return this.#asking !== null
  }

  #isStale(row: ReadyRow, what: What): boolean {
    return this.#parts.clock.elapsedMs() >= (this.#staleMs[what].get(keyOf(row)) ?? 0)
  }

  /** The next games of each platform that nobody was asked about lately. */
  #nextOf(wanted: readonly ReadyRow[], what: What): Map<Platform, ReadyRow[]> {
    const stale = wanted.filter((row) => this.#isStale(row, what))
    const byPlatform = platforms.map((platform) => {
      const own = stale.filter((row) => row.platform === platform).slice(0, askedPerRound)
      return [platform, own] as const
    })
    return new Map(byPlatform.filter(([, own]) => own.length > 0))
  }

  async #askAll(wanted: readonly ReadyRow[], what: What): Promise<void> {
    const { signal } = this.#stopping
    for (let round = 0; round < roundsMax && !signal.aborted; round++) {
      const next = this.#nextOf(wanted, what)
      if (next.size === 0) return
      const store = {
        of: (platform: Platform) =>
          (next.get(platform) ?? []).flatMap((row) => this.#rows.get(keyOf(row)) ?? []),
        note: (game: GameId, values: Partial<ReadyRow>) => this.note(game, values),
      }
      const check = new ReadyCheck(this.#parts, { ...this.#features, store })
      await check.run({ signal }, [...next.keys()], { hasSizes: what === 'sizes' })
      for (const row of [...next.values()].flat()) {
        const isAnswered = this.#rows.get(keyOf(row))?.checkedAt !== row.checkedAt
        const waitMs = isAnswered ? freshMs : retryMs
        this.#staleMs[what].set(keyOf(row), this.#parts.clock.elapsedMs() + waitMs)
      }
    }
  }
}
