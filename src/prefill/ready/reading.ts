import type { GameStock, PrefillParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { rateOf } from '../sessions/rate.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Hours } from './hours.ts'
import { estimate, missingBytesOf, stateOf, type Sight } from './judge.ts'
import type { ReadyRow, ReadyStore } from './store.ts'
import { gamesByApp } from './titles.ts'

interface Features {
  sessions: Sessions
  store: Pick<ReadyStore, 'list'>
  hours: () => Hours
  /** Of the runs that fetch these games. */
  runId: string
}

const unknownStock: GameStock = { readAt: null, games: [], otherBytes: 0, roomBytes: null }

export type Reading = ReturnType<typeof createReading>
export type ReadGame = Awaited<ReturnType<Reading['games']>>[number]

/** Bytes in the cache that may be evicted: neither pinned nor of a game of the board. */
function evictableOf({ readAt, games, otherBytes }: GameStock, rows: readonly ReadyRow[]) {
  if (readAt === null) return null
  const wanted = new Set(rows.flatMap(gamesByApp(games)))
  const isKept = (game: GameStock['games'][number]) => game.isPinned || wanted.has(game)
  return games.filter((game) => !isKept(game)).reduce((sum, { bytes }) => sum + bytes, otherBytes)
}

/** The board as it stands, from the rows, the cache and the sessions. */
export function createReading(parts: PrefillParts, features: Features) {
  const { sessions, store, hours, runId } = features
  const { clock, settings, gameFacts, log } = parts

  /** Signed out sessions can neither judge nor fetch. */
  const canAsk = (platform: Platform): boolean =>
    sessions.persistentsOf(platform).some(({ authState }) => authState === 'Authenticated')

  /** Bytes of the games that runs fetch now, by platform and app. */
  const fetchedBytes = (): ReadonlyMap<string, number> =>
    new Map(
      platforms.flatMap((platform) =>
        sessions
          .persistentsOf(platform)
          .flatMap(({ run }) => (run?.schedule?.id === runId ? (run.open ?? []) : []))
          .map(({ appId, bytes }) => [`${platform} ${appId}`, bytes] as const),
      ),
    )

  async function read() {
    const stock = await gameFacts.stock().catch((error: unknown) => {
      log.debug({ err: error }, 'the cache could not be judged')
      return unknownStock
    })
    const find = gamesByApp(stock.games)
    const asked = new Set(platforms.filter(canAsk))
    const fetched = fetchedBytes()
    const due = settings.get('prefill.ready').dueAt
    const judge = (row: ReadyRow) => {
      const { platform, appId } = row
      const bytes = find(row).reduce((sum, game) => sum + game.bytes, 0)
      const sight: Sight = {
        onDiskBytes: stock.readAt === null ? null : bytes,
        readAt: stock.readAt,
        fetchedBytes: fetched.get(`${platform} ${appId}`) ?? null,
        hasSession: asked.has(platform),
      }
      const state = stateOf(row, sight)
      const dueAt = row.dueAt ?? (due === null ? null : new Date(due))
      return { row, sight, platform, state, dueAt, missingBytes: missingBytesOf(row, state, sight) }
    }
    return { stock, games: store.list().map(judge) }
  }

  /** Bytes per second; platforms without earlier downloads take that of all. */
  function rates() {
    const { history } = sessions.stores
    const lists = new Map(platforms.map((one) => [one, history.downloads(one)] as const))
    const overall = rateOf([...lists.values()].flat())
    const own = new Map([...lists].map(([one, list]) => [one, rateOf(list)]))
    return (platform: Platform) => own.get(platform) ?? overall
  }

  return {
    canAsk,
    /** In the order of the board. */
    games: async () => (await read()).games,
    /** The same with what all of them need. */
    async board() {
      const now = clock.now()
      const { stock, games } = await read()
      const rows = games.map(({ row }) => row)
      const room = { freeBytes: stock.roomBytes, evictableBytes: evictableOf(stock, rows) }
      const sums = estimate(games, { now, hours: hours(), rateOf: rates(), ...room })
      const { away } = stock
      return { games, now, ...room, ...sums, ...(away !== undefined && { away }) }
    },
  }
}
