import type { Caller } from '../core/caller.ts'
import { findEvent } from '../downloads/contract.ts'
import { AppError, orNotFound } from '../core/http/errors.ts'
import { invisible } from '../core/lib/invisible.ts'
import { keep } from '../core/lib/kept.ts'
import { isPlatform } from '../platforms/platforms.ts'
import { createBoards, type Board, type Boards } from './board.ts'
import type {
  DeviceNameBody,
  GuestView,
  HostParty,
  KioskView,
  KnownGame,
  PartySettings,
  WishBody,
} from './model.ts'
import { createPartyLinks, type PartyLinks } from './links.ts'
import type { PartyParts } from './parts.ts'
import { createPartyStore, createWishStore, type PartyStore, type WishStore } from './store.ts'

/** Wishes on a phone, besides its own. */
const wishesShown = 100
/** Games of one answer of the search. */
const foundMax = 12
const gamesKeptMs = 60_000
/** Games that clients used in this time are known. */
const usedMs = 180 * 86_400_000

/** Marks, case and spaces differ between what people type. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** Known games by name, read at most once a minute. */
function createKnownGames({ clock, prefillGames, usedSince }: PartyParts) {
  async function read(): Promise<KnownGame[]> {
    const since = new Date(clock.now().getTime() - usedMs)
    const [prefilled, used] = await Promise.all([prefillGames(), usedSince(since).catch(() => [])])
    const byName = new Map<string, KnownGame>()
    for (const { name, platform, appId, state } of prefilled) {
      byName.set(`${platform} ${appId}`, { name, platform, appId, isReady: state === 'ready' })
    }
    const names = new Set(prefilled.map(({ name }) => plain(name)))
    for (const { key, name } of used) {
      if (names.has(plain(name))) continue
      const [, kind = '', id = ''] = /^([^:]+):(.+)$/s.exec(key) ?? []
      const app = isPlatform(kind) ? { platform: kind, appId: id } : { platform: null, appId: null }
      byName.set(key, { name, ...app, isReady: false })
    }
    return [...byName.values()]
  }

  return keep(clock, gamesKeptMs, read).read
}

/** Throws AppError `invalid`. */
function checked(settings: PartySettings): PartySettings {
  for (const { atUtc } of settings.timetable) {
    if (Number.isNaN(Date.parse(atUtc))) {
      throw new AppError(
        'invalid',
        'timetable: must be ISO-8601 times such as 2026-11-27T18:00:00Z',
      )
    }
  }
  const lines = settings.timetable.map(({ atUtc, text }) => ({
    atUtc: new Date(atUtc).toISOString(),
    text,
  }))
  return { ...settings, timetable: lines.toSorted((a, b) => (a.atUtc < b.atUtc ? -1 : 1)) }
}

interface Own {
  parts: PartyParts
  boards: Boards
  store: PartyStore
  wishes: WishStore
  links: PartyLinks
}

/** The host's side of parties. */
function createHost({ parts, boards, store, wishes, links }: Own) {
  /** Throws AppError `notFound`. */
  async function find(eventId: number) {
    const known = await parts.reports.read((sql) => findEvent(sql, eventId))
    const event = orNotFound(known, 'Event not found')
    return { event, id: { eventId, eventCreatedAt: event.createdAtUtc } }
  }

  async function host(eventId: number): Promise<HostParty> {
    const settings = store.settings((await find(eventId)).id)
    if (settings === null) return { settings, wishes: [], guestPath: null, kioskPath: null }
    const { view, wishes: all } = await boards.of(eventId)
    const kioskPath = links.pathOf('kiosk', eventId)
    return { settings, wishes: [...all], guestPath: view.guestPath, kioskPath }
  }

  return {
    host,

    /** Switches the party on, or changes it. Throws AppError: `notFound`, `invalid`. */
    async put(eventId: number, settings: PartySettings, actor: Caller): Promise<HostParty> {
      const { event, id } = await find(eventId)
      const isNew = store.settings(id) === null
      store.put(id, checked(settings))
      if (isNew) links.make(event, actor)
      boards.forget(eventId)
      return host(eventId)
    },

    /** New links; the previous ones open nothing any more. */
    async renewLinks(eventId: number, actor: Caller): Promise<HostParty> {
      const { event, id } = await find(eventId)
      orNotFound(store.settings(id), 'No party')
      links.make(event, actor)
      boards.forget(eventId)
      return host(eventId)
    },

    /** Switches it off; its wishes and links are gone. */
    end(eventId: number): void {
      links.end(eventId)
      store.remove(eventId)
      boards.forget(eventId)
    },

    removeWish(eventId: number, id: number): void {
      wishes.remove(eventId, id)
      boards.forget(eventId)
    },
  }
}

/** What the links open. */
function createGuests({ parts, boards, store, wishes }: Own) {
  const knownGames = createKnownGames(parts)

  const guest = async (eventId: number, device: string | null): Promise<GuestView> =>
    guestOf(await boards.of(eventId), device)

  /** Throws AppError: `notFound`, `conflict` after the end, `invalid` without an address. */
  async function change(eventId: number, device: string | null, act: (own: string) => void) {
    const { view } = await boards.of(eventId)
    if (view.event.state === 'over') throw new AppError('conflict', 'The party is over')
    if (device === null) throw new AppError('invalid', 'Your device has no address')
    act(device)
    boards.forget(eventId)
    return guest(eventId, device)
  }

  /** Throws AppError: `notFound` for an id of no known game, `invalid` for a name that is none. */
  async function wanted({ name, platform, appId }: WishBody) {
    const games = await knownGames()
    if (platform !== undefined && appId !== undefined) {
      const found = games.find((game) => game.platform === platform && game.appId === appId)
      return orNotFound(found, 'Game not found')
    }
    const byName = plain(name)
    if (byName === '') throw new AppError('invalid', 'name: must contain a letter or a digit')
    const found = games.find((game) => plain(game.name) === byName)
    return found ?? { name: name.trim(), platform: null, appId: null }
  }

  return {
    guest,
    kiosk: async (eventId: number): Promise<KioskView> => (await boards.of(eventId)).view,

    /** Known games whose names contain the words. */
    async search(eventId: number, text: string): Promise<KnownGame[]> {
      await boards.of(eventId)
      const word = plain(text)
      if (word === '') return []
      const found = (await knownGames()).filter(({ name }) => plain(name).includes(word))
      const rank = (name: string) => (plain(name).startsWith(word) ? 0 : 1)
      return found
        .toSorted((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name))
        .slice(0, foundMax)
    },

    async wish(eventId: number, device: string | null, body: WishBody): Promise<GuestView> {
      const { name, platform, appId } = await wanted(body)
      const key = platform === null ? `name:${plain(name)}` : `${platform}:${appId}`
      const createdAt = parts.clock.now()
      return change(eventId, device, (own) =>
        wishes.add(eventId, { key, name, platform, appId, device: own, createdAt }),
      )
    },

    vote: (eventId: number, device: string | null, id: number) =>
      change(eventId, device, (own) => wishes.vote(eventId, id, own)),

    /** Throws AppError as `change` does, and `invalid` for characters that nobody sees. */
    name(eventId: number, device: string | null, { name }: DeviceNameBody): Promise<GuestView> {
      if (invisible.test(name)) throw new AppError('invalid', 'name: must be one line of text')
      return change(eventId, device, (own) => store.nameDevice(eventId, own, name.trim()))
    },

    unvote: (eventId: number, device: string | null, id: number) =>
      change(eventId, device, (own) => wishes.unvote(eventId, id, own)),
  }
}

/** Parties of events: their settings, pages and wishes. */
export function createParties(parts: PartyParts) {
  const store = createPartyStore(parts.state)
  const wishes = createWishStore(parts.state)
  const links = createPartyLinks(parts)
  const guestPath = (eventId: number) => links.pathOf('party', eventId)
  const boards = createBoards(parts, { store, wishes, guestPath })
  const own = { parts, boards, store, wishes, links }
  return { ...createHost(own), ...createGuests(own) }
}

export type Parties = ReturnType<typeof createParties>

/** What a device may see: everything of itself, and only sums of the others. */
function guestOf(
  { view, wishes, prefillGames, speeds, byAddress, votes, names, showsNames }: Board,
  device: string | null,
): GuestView {
  const own = device === null ? undefined : byAddress.get(device)
  const voted = device === null ? undefined : votes.get(device)
  const { event, nowUtc, bytesPerSecond, totals, rules, wifi, timetable } = view
  const games = speeds.gameSpeeds.filter(({ clientIp }) => clientIp === device)
  return {
    event,
    nowUtc,
    bytesPerSecond,
    totals,
    rules,
    wifi,
    timetable,
    wishes: wishes
      .map((wish) => ({ ...wish, isVoted: voted?.has(wish.id) ?? false }))
      .filter(({ isVoted }, place) => isVoted || place < wishesShown),
    readyGames: prefillGames.flatMap(({ name, platform, appId, state }) =>
      state === 'ready' ? [{ name, platform, appId }] : [],
    ),
    device: {
      number: own?.number ?? null,
      bytesPerSecond: games.reduce((sum, game) => sum + game.bytesPerSecond, 0),
      games: games.map(({ gameName, service, bytesPerSecond: speed }) => ({
        name: gameName ?? service,
        bytesPerSecond: speed,
      })),
      bytes: own?.bytes ?? 0,
      savedBytes: own?.savedBytes ?? 0,
      name: names.get(device ?? '') ?? '',
    },
    showsNames,
  }
}
