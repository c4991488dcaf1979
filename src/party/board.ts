/*
 * What all pages of a party show is one answer, made at most once a second, when somebody asks: 150
 * phones cost as much as one. Nothing runs while nobody asks.
 */
import { excludedClients, shownSpeeds } from '../clients/contract.ts'
import {
  type CalendarEvent,
  findEvent,
  gameIdOf,
  ratio,
  scopeOf,
  type Scope,
} from '../downloads/contract.ts'
import { AppError } from '../core/http/errors.ts'
import { keep, type Kept } from '../core/lib/kept.ts'
import type { SpeedSnapshot } from '../engines/logs/wire.ts'
import type { KioskView, Wish } from './model.ts'
import type { PartyParts, PrefillGame } from './parts.ts'
import type { PartyStore, WishStore } from './store.ts'

/** Age up to which an answer is given again. */
const keptMs = 1000
/** Parties whose answers are kept. */
const partiesMax = 10
/** Addresses that are told apart; further ones are in the sums only. */
const devicesMax = 1000
const topMax = 8
const newestMax = 8
const leadersMax = 10
const wantedMax = 10
/** Points of the curve. */
const samplesMax = 150

/** Traffic of one address. */
export interface DeviceSums {
  /** In the order in which devices appeared at the party. */
  number: number
  /** Null: its guest chose none, or the host shows no names. */
  name: string | null
  bytes: number
  savedBytes: number
}

/** The part of the answer that nobody may see as it is: it has the addresses. */
export interface Board {
  speeds: SpeedSnapshot
  byAddress: ReadonlyMap<string, DeviceSums>
  /** As guests chose them, whether the host shows them or not. */
  names: Names
  showsNames: boolean
  /** All of them, most votes first; the view has the first ones. */
  wishes: readonly Wish[]
  votes: ReadonlyMap<string, ReadonlySet<number>>
  prefillGames: readonly PrefillGame[]
  view: KioskView
}

const secondsOf = (text: string) => Date.parse(text) / 1000

function stateOf({ startTimeUtc, endTimeUtc }: CalendarEvent, now: Date) {
  if (now < new Date(startTimeUtc)) return 'before'
  return now > new Date(endTimeUtc) ? 'over' : 'running'
}

/** Every n-th sample, so that the curve has a bounded number of points. */
function thinned<T>(samples: readonly T[]): T[] {
  const step = Math.ceil(samples.length / samplesMax)
  return samples.filter((_, index) => (samples.length - 1 - index) % step === 0)
}

interface BoardParts {
  store: Pick<PartyStore, 'settings' | 'names'>
  wishes: Pick<WishStore, 'list' | 'votes'>
  /** The address of the page of guests. */
  guestPath: (eventId: number) => string | null
}

async function totalsOf({ stats }: PartyParts, scope: Scope) {
  const services = await stats.services(scope)
  const sum = (pick: (row: (typeof services)[number]) => number) =>
    services.reduce((total, row) => total + pick(row), 0)
  const servedBytes = sum((row) => row.totalBytes)
  const savedBytes = sum((row) => row.totalCacheHitBytes)
  const downloads = sum((row) => row.totalDownloads)
  return { servedBytes, savedBytes, hitRatio: ratio(savedBytes, servedBytes), downloads }
}

/**
 * Numbers of devices by address. They are kept while the service runs: when a device was first seen is
 * only an estimate, and a number on the large screen must stay the one on the phone.
 */
type Numbers = Map<string, number>
/** Names that are shown, by address. */
type Names = ReadonlyMap<string, string>

function numberOf(address: string, numbers: Numbers): number {
  const known = numbers.get(address)
  if (known === undefined) numbers.set(address, numbers.size + 1)
  return known ?? numbers.size
}

/** Devices by their addresses, without hidden ones, and the number of all. */
async function devicesOf(
  { stats, state }: PartyParts,
  { scope, names, numbers }: { scope: Scope; names: Names; numbers: Numbers },
) {
  const query = { limit: devicesMax, mergeGroups: false, hasNames: false }
  const { rows, clients: devices } = await stats.clients(scope, query)
  const firstAt = (row: (typeof rows)[number]) =>
    Date.parse(row.lastActivityUtc) - row.totalDurationSeconds * 1000
  const hidden = new Set(excludedClients(state).hidden)
  const seen = rows
    .filter(({ clientIp }) => !hidden.has(clientIp))
    .toSorted((a, b) => firstAt(a) - firstAt(b) || (a.clientIp < b.clientIp ? -1 : 1))
  const byAddress = new Map(
    seen.map((row): [string, DeviceSums] => [
      row.clientIp,
      {
        number: numberOf(row.clientIp, numbers),
        name: names.get(row.clientIp) ?? null,
        bytes: row.totalBytes,
        savedBytes: row.totalCacheHitBytes,
      },
    ]),
  )
  return { byAddress, devices }
}

/** As the event's page ranks them. */
async function topGamesOf({ downloads }: PartyParts, eventId: number) {
  const sorted = { EventId: eventId, GroupByGame: true, HideUnknown: true, Sort: 'largest' }
  const counted = { ...sorted, includeExcluded: false }
  const { items } = await downloads.retro({ ...counted, PageSize: 2 * topMax })
  const games = items.map((row) => ({
    name: row.appName,
    service: row.service,
    gameId: row.id.replace(`${row.service}-`, ''),
    bytes: row.totalBytes,
    savedBytes: row.cacheHitBytes,
  }))
  // A service without titles is no game.
  return games.filter(({ gameId }) => /^(?:app|beta|name)-/.test(gameId)).slice(0, topMax)
}

/** By the time of the event: tags follow some seconds later. */
async function newestOf({ downloads }: PartyParts, { startTimeUtc, endTimeUtc }: CalendarEvent) {
  const period = { start: secondsOf(startTimeUtc), end: secondsOf(endTimeUtc) }
  return (await downloads.newest({ ...scopeOf({}), period })).slice(0, newestMax)
}

type Devices = Board['byAddress']

/** Null: it was not seen at the party before. */
function labelOf(address: string, byAddress: Devices) {
  const { number, name } = byAddress.get(address) ?? { number: null, name: null }
  return { deviceNumber: number, deviceName: name }
}

const newestView = (rows: Awaited<ReturnType<typeof newestOf>>, byAddress: Devices) =>
  rows.map((row) => ({
    id: row.id,
    name: row.gameName ?? row.service,
    service: row.service,
    gameId: gameIdOf({ ...row, appId: row.gameAppId, imageUrl: null }),
    ...labelOf(row.clientIp, byAddress),
    bytes: row.totalBytes,
    startTimeUtc: row.startTimeUtc,
  }))

function leadersView(byAddress: Devices, { clientSpeeds }: SpeedSnapshot) {
  const speeds = new Map(clientSpeeds.map((one) => [one.clientIp, one.bytesPerSecond]))
  return [...byAddress]
    .toSorted(([, a], [, b]) => b.bytes - a.bytes)
    .slice(0, leadersMax)
    .map(([address, { bytes, savedBytes }]) => ({
      ...labelOf(address, byAddress),
      bytes,
      savedBytes,
      bytesPerSecond: speeds.get(address) ?? 0,
    }))
}

function wishesView(list: ReturnType<WishStore['list']>, games: readonly PrefillGame[]): Wish[] {
  const byId = new Map(games.map((game) => [`${game.platform} ${game.appId}`, game]))
  return list.map((wish) => {
    const game = byId.get(`${wish.platform} ${wish.appId}`)
    return { ...wish, state: game?.state ?? 'open', totalBytes: game?.totalBytes ?? null }
  })
}

async function makeBoard(
  parts: PartyParts,
  own: BoardParts & { numbers: Numbers },
  eventId: number,
): Promise<Board> {
  const event = await parts.reports.read((sql) => findEvent(sql, eventId))
  const settings = event && own.store.settings({ eventId, eventCreatedAt: event.createdAtUtc })
  if (event === null || settings === null) throw new AppError('notFound', 'No party')
  const scope = scopeOf({ eventId })
  const names = own.store.names({ eventId })
  const shown = settings.showsNames ? names : new Map<string, string>()
  const [totals, { byAddress, devices }, topGames, newest, prefillGames] = await Promise.all([
    totalsOf(parts, scope),
    devicesOf(parts, { scope, names: shown, numbers: own.numbers }),
    topGamesOf(parts, eventId),
    newestOf(parts, event),
    parts.prefillGames(),
  ])
  const now = parts.clock.now()
  const { name, startTimeUtc, endTimeUtc, colorIndex } = event
  const { rules, wifi, timetable } = settings
  const speeds = shownSpeeds(parts.state, parts.logs.speeds())
  const wishes = wishesView(own.wishes.list(eventId), prefillGames)
  const samples = thinned(parts.recentSpeeds())
  return {
    speeds,
    byAddress,
    names,
    showsNames: settings.showsNames,
    prefillGames,
    wishes,
    votes: own.wishes.votes(eventId),
    view: {
      event: { name, startTimeUtc, endTimeUtc, colorIndex, state: stateOf(event, now) },
      nowUtc: now.toISOString(),
      guestPath: own.guestPath(eventId),
      bytesPerSecond: speeds.totalBytesPerSecond,
      activeDevices: speeds.clientSpeeds.length,
      samples,
      totals: { ...totals, devices },
      wishes: wishes.slice(0, wantedMax),
      rules,
      wifi,
      timetable,
      topGames,
      newest: newestView(newest, byAddress),
      devices: leadersView(byAddress, speeds),
    },
  }
}

export type Boards = ReturnType<typeof createBoards>

export function createBoards(parts: PartyParts, own: BoardParts) {
  const { clock } = parts
  const boards = new Map<number, Kept<Board>>()

  function boardOf(eventId: number): Kept<Board> {
    const numbers: Numbers = new Map()
    return keep(clock, keptMs, () => makeBoard(parts, { ...own, numbers }, eventId))
  }

  return {
    /** Rejects with AppError `notFound` where no party is on, and with HistoryUnavailable. */
    of(eventId: number): Promise<Board> {
      const board = boards.get(eventId) ?? boardOf(eventId)
      boards.delete(eventId)
      boards.set(eventId, board)
      const [oldest] = boards.keys()
      if (boards.size > partiesMax && oldest !== undefined) boards.delete(oldest)
      return board.read()
    },
    /** Something of it was changed. */
    forget: (eventId: number): void => boards.get(eventId)?.forget(),
  }
}
