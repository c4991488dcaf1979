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

type Find = ReturnType<typeof gamesByApp<GameStock['games'][number]>>

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

  function fetchedBytes({ platform, appId }: ReadyRow): number | null {
    const runs = sessions.persistentsOf(platform).flatMap(({ run }) => run ?? [])
    const own = runs.find((run) => run.schedule?.id === runId && run.open?.appId === appId)
    return own?.open?.bytes ?? null
  }

  function sightOf(row: ReadyRow, { readAt }: GameStock, find: Find): Sight {
    const bytes = find(row).reduce((sum, game) => sum + game.bytes, 0)
    return {
      onDiskBytes: readAt === null ? null : bytes,
      readAt,
      fetchedBytes: fetchedBytes(row),
      hasSession: canAsk(row.platform),
    }
  }

  function judge(row: ReadyRow, stock: GameStock, find: Find) {
    const sight = sightOf(row, stock, find)
    const state = stateOf(row, sight)
    const due = settings.get('prefill.ready').dueAt
    const dueAt = row.dueAt ?? (due === null ? null : new Date(due))
    const missingBytes = missingBytesOf(row, state, sight)
    return { row, sight, platform: row.platform, state, dueAt, missingBytes }
  }

  async function read() {
    const stock = await gameFacts.stock().catch((error: unknown) => {
      log.debug({ err: error }, 'the cache could not be judged')
      return unknownStock
    })
    const find = gamesByApp(stock.games)
    return { stock, games: store.list().map((row) => judge(row, stock, find)) }
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
      return { games, now, ...room, ...sums }
    },
  }
}
