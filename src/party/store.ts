import { and, asc, count, desc, eq, ne, sql } from 'drizzle-orm'
import type { StateDatabase } from '../../db/state/open.ts'
import { party, partyDevice, partyVote, partyWish } from '../../db/state/schema/party.ts'
import { AppError, orNotFound } from '../core/http/errors.ts'
import type { PartySettings } from './model.ts'

/** Wishes of a party, and of each of its devices. */
export const wishesMax = 500
export const deviceWishesMax = 20
/** Devices of a party that have names. */
const namesMax = 1000

type WishRow = typeof partyWish.$inferSelect
type NewWish = Pick<WishRow, 'key' | 'name' | 'platform' | 'appId' | 'device' | 'createdAt'>

/** An event that is the same after a reset of the history only if it was created at the same time. */
export interface PartyId {
  eventId: number
  eventCreatedAt: string
}

const many = (text: string) => new AppError('conflict', text)

type State = Pick<StateDatabase, 'db'>

/** Which parties are on, and what is written for their guests; in `state.sqlite`. */
export const createPartyStore = ({ db }: State) => ({
  /** Null: the party is off. */
  settings({ eventId, eventCreatedAt }: PartyId): PartySettings | null {
    const row = db.select().from(party).where(eq(party.eventId, eventId)).get()
    if (row === undefined || row.eventCreatedAt !== eventCreatedAt) return null
    const { rules, wifi, timetable, showsNames } = row
    return { rules, wifi, timetable, showsNames }
  },

  /** Switches it on, or changes it. */
  put({ eventId, eventCreatedAt }: PartyId, settings: PartySettings): void {
    db.transaction((tx) => {
      const ofOther = and(eq(party.eventId, eventId), ne(party.eventCreatedAt, eventCreatedAt))
      tx.delete(party).where(ofOther).run()
      tx.insert(party)
        .values({ eventId, eventCreatedAt, ...settings })
        .onConflictDoUpdate({ target: party.eventId, set: settings })
        .run()
    })
  },

  /** Names that guests gave their devices, by address. */
  names({ eventId }: Pick<PartyId, 'eventId'>): Map<string, string> {
    const rows = db.select().from(partyDevice).where(eq(partyDevice.eventId, eventId)).all()
    return new Map(rows.map(({ device, name }) => [device, name]))
  },

  /** Empty: the device is a number again. Throws `conflict` for too many. */
  nameDevice(eventId: number, device: string, name: string): void {
    const own = and(eq(partyDevice.eventId, eventId), eq(partyDevice.device, device))
    db.transaction((tx) => {
      tx.delete(partyDevice).where(own).run()
      if (name === '') return
      const ofParty = eq(partyDevice.eventId, eventId)
      const names = tx.select({ n: count() }).from(partyDevice).where(ofParty).get()
      if ((names?.n ?? 0) >= namesMax) {
        throw many(`At most ${namesMax} devices of a party have names`)
      }
      tx.insert(partyDevice).values({ eventId, device, name }).run()
    })
  },

  /** With its wishes and names. */
  remove(eventId: number): void {
    db.delete(party).where(eq(party.eventId, eventId)).run()
  },
})

export type PartyStore = ReturnType<typeof createPartyStore>

/** Throws `conflict`. */
function checkRoom({ db }: State, eventId: number, device: string): void {
  const own = sql<number>`coalesce(sum(${partyWish.device} = ${device}), 0)`
  const counts = db
    .select({ all: count(), own })
    .from(partyWish)
    .where(eq(partyWish.eventId, eventId))
    .get()
  if ((counts?.own ?? 0) >= deviceWishesMax) {
    throw many(`A device has at most ${deviceWishesMax} wishes`)
  }
  if ((counts?.all ?? 0) >= wishesMax) throw many(`A party has at most ${wishesMax} wishes`)
}

/** What guests wish for. Throws `notFound` for unknown wishes. */
export function createWishStore({ db }: State) {
  const ofWish = (eventId: number, id: number) =>
    and(eq(partyWish.eventId, eventId), eq(partyWish.id, id))

  function check(eventId: number, id: number): void {
    const found = db.select({ id: partyWish.id }).from(partyWish).where(ofWish(eventId, id)).get()
    orNotFound(found, 'Wish not found')
  }

  function addVote(wishId: number, device: string): void {
    db.insert(partyVote).values({ wishId, device }).onConflictDoNothing().run()
  }

  return {
    /** Most votes first, then the oldest. */
    list: (eventId: number) =>
      db
        .select({
          id: partyWish.id,
          name: partyWish.name,
          platform: partyWish.platform,
          appId: partyWish.appId,
          votes: count(partyVote.device),
        })
        .from(partyWish)
        .leftJoin(partyVote, eq(partyVote.wishId, partyWish.id))
        .where(eq(partyWish.eventId, eventId))
        .groupBy(partyWish.id)
        .orderBy(desc(count(partyVote.device)), asc(partyWish.id))
        .all(),

    /** The wishes that each device voted for. */
    votes(eventId: number): Map<string, Set<number>> {
      const rows = db
        .select({ device: partyVote.device, wishId: partyVote.wishId })
        .from(partyVote)
        .innerJoin(partyWish, eq(partyWish.id, partyVote.wishId))
        .where(eq(partyWish.eventId, eventId))
        .all()
      const byDevice = new Map<string, Set<number>>()
      for (const { device, wishId } of rows) {
        byDevice.set(device, (byDevice.get(device) ?? new Set()).add(wishId))
      }
      return byDevice
    },

    /** A game that was wished for already gets a vote. Throws `conflict` for too many. */
    add(eventId: number, wish: NewWish): void {
      db.transaction((tx) => {
        const ofGame = and(eq(partyWish.eventId, eventId), eq(partyWish.key, wish.key))
        const known = tx.select({ id: partyWish.id }).from(partyWish).where(ofGame).get()
        if (known === undefined) checkRoom({ db }, eventId, wish.device)
        const row = { eventId, ...wish }
        const { id } =
          known ?? tx.insert(partyWish).values(row).returning({ id: partyWish.id }).get()
        addVote(id, wish.device)
      })
    },

    vote(eventId: number, id: number, device: string): void {
      check(eventId, id)
      addVote(id, device)
    },

    /** A wish without votes goes. */
    unvote(eventId: number, id: number, device: string): void {
      check(eventId, id)
      const own = and(eq(partyVote.wishId, id), eq(partyVote.device, device))
      db.delete(partyVote).where(own).run()
      const left = db.select({ n: count() }).from(partyVote).where(eq(partyVote.wishId, id)).get()
      if (left?.n === 0) db.delete(partyWish).where(ofWish(eventId, id)).run()
    },

    remove(eventId: number, id: number): void {
      check(eventId, id)
      db.delete(partyWish).where(ofWish(eventId, id)).run()
    },
  }
}

export type WishStore = ReturnType<typeof createWishStore>
