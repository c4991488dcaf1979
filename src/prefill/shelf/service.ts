/*
 * `prefill/shelf` shows the games of all accounts and fetches those that are chosen, without a
 * session that has to be started before. `lists.ts` has the games, `picked.ts` what daemons say of
 * them, `run.ts` fetches. Sizes, states, room and rates are those of the readiness board.
 */
import { AppError } from '../../core/http/errors.ts'
import type { Queued } from '../../core/operations/contract.ts'
import { platforms } from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import { createHours } from '../ready/hours.ts'
import { createReading, type ReadGame } from '../ready/reading.ts'
import { createReadyStore, type ReadyRow } from '../ready/store.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import { createLists, type Listed } from './lists.ts'
import type * as model from './model.ts'
import { Picked, keyOf, type GameId } from './picked.ts'
import { runOfShelf, ShelfRunner } from './run.ts'
import type { PersistentFeatures } from '../persistent/login-calls.ts'

/** Games that were downloaded before, whose versions are asked for when the shelf is opened. */
const checkedMax = 200

type Features = SessionFeatures & PersistentFeatures

/** The games of these platforms, each once. */
const gamesOf = (listed: readonly Listed[]): (GameId & { name: string })[] =>
  listed.flatMap(({ platform, names }) =>
    [...names].map(([appId, name]) => ({ platform, appId, name })),
  )

function stateOf({ row, sight, state }: ReadGame): model.ShelfGame['state'] {
  if (row.unavailable !== null) return 'unavailable'
  if (row.newBuildAt !== null) return 'newBuild'
  if (state === 'ready' || (sight.onDiskBytes ?? 0) > 0) return 'cached'
  return sight.onDiskBytes === null ? 'unknown' : 'missing'
}

const gameView = (game: ReadGame): model.ShelfGame => ({
  platform: game.platform,
  appId: game.row.appId,
  name: game.row.name,
  state: stateOf(game),
  onDiskBytes: game.sight.onDiskBytes,
  totalBytes: game.row.totalBytes,
  problem: game.row.unavailable,
})

export type PrefillShelf = ReturnType<typeof createShelf>

/** The games of all accounts as a shelf. */
export function createShelf(parts: PrefillParts, features: Features) {
  const board = createReadyStore(parts.state)
  const lists = createLists(parts, { ...features, board })
  const picked = new Picked(parts, { ...features, board })
  const runner = new ShelfRunner(parts, {
    ...features,
    picked,
    open: lists.open,
    judge: (rows) => readingOf(rows).games(),
  })

  function readingOf(rows: readonly ReadyRow[]) {
    const hours = () => createHours(null, parts.config.timeZone)
    const store = { list: () => [...rows] }
    return createReading(parts, { ...features, store, hours, runId: runOfShelf.id })
  }

  /** Those of the chosen games that an account still has. */
  function rowsOf({ games }: model.PickBody): ReadyRow[] {
    const chosen = new Set(games.map(keyOf))
    const listed = gamesOf(platforms.map((platform) => lists.of(platform)))
    return picked.rowsOf(listed.filter((game) => chosen.has(keyOf(game))))
  }

  return {
    start: () => lists.start(),
    stop(): void {
      lists.stop()
      picked.stop()
    },

    /** Starts what needs no sign-in, so that its games appear. */
    open: () => lists.openAll(),

    async view(): Promise<model.Shelf> {
      const listed = platforms.map((platform) => lists.of(platform))
      const rows = picked.rowsOf(gamesOf(listed))
      const before = rows.filter((row) => picked.downloaded().has(keyOf(row)))
      picked.ask(before.slice(0, checkedMax), 'versions')
      return {
        platforms: listed.map(({ names, ...one }) => ({ ...one, games: names.size })),
        games: (await readingOf(rows).games()).map(gameView),
      }
    },

    /** What it takes to fetch the chosen games; what is not known is asked for meanwhile. */
    async plan(body: model.PickBody): Promise<model.ShelfPlan> {
      const rows = rowsOf(body)
      const isAsking = picked.ask(rows, 'sizes')
      const { games, missingBytes, seconds, fits, ...room } = await readingOf(rows).board()
      const knownBytes = games.reduce((sum, game) => sum + (game.missingBytes ?? 0), 0)
      const roomBytes = (room.freeBytes ?? Infinity) + (room.evictableBytes ?? Infinity)
      return {
        games: games.map((game) => ({
          platform: game.platform,
          appId: game.row.appId,
          totalBytes: game.row.totalBytes,
          missingBytes: game.missingBytes,
          problem: game.row.unavailable ?? game.row.problem,
        })),
        knownBytes,
        overBytes: Math.max(0, knownBytes - roomBytes),
        missingBytes,
        seconds,
        fits,
        isAsking,
      }
    },

    /** Throws AppError `notFound` if no account has any of the games. */
    prefill(body: model.PickBody): Queued {
      const rows = rowsOf(body)
      if (rows.length === 0) throw new AppError('notFound', 'No account has these games')
      return runner.begin(rows)
    },

    runner,
  }
}
