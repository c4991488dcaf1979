import { useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  GuestView,
  HostParty,
  KioskView,
  PartySettings,
  Wish,
  WishBody,
} from '../../party/model.ts'
import { api, unwrap } from './client.ts'
import { useRead } from './queries.ts'
import { Refusal } from './refusal.ts'
import { asLink } from './share-link.ts'

export type { GuestView, HostParty, KioskView, PartySettings, Wish, WishBody }

/** All pages of a party share one answer of the service, which is at most a second old. */
const pollMs = { kiosk: 1000, guest: 2000, host: 5000 }

const partyOf = (id: number) => api.ext.party({ id })
const keyOf = (page: string, id: number) => ['party', page, String(id)]

/** The next poll is the retry; an answer of before the trouble stays. */
const steady = { retry: false, networkMode: 'always', gcTime: Infinity } as const

export const useKiosk = (id: number) =>
  useRead(keyOf('kiosk', id), (asking) => partyOf(id).kiosk.get({ ...asLink, ...asking }), {
    ...steady,
    refetchInterval: pollMs.kiosk,
    refetchIntervalInBackground: true,
  })

export const useGuest = (id: number) =>
  useRead(keyOf('guest', id), (asking) => partyOf(id).guest.get({ ...asLink, ...asking }), {
    ...steady,
    refetchInterval: pollMs.guest,
  })

export const hostKey = (id: number) => keyOf('host', id)

export const useHost = (id: number) =>
  useRead(hostKey(id), partyOf(id).get, { refetchInterval: pollMs.host })

export const useFoundGames = (id: number, text: string) =>
  useQuery({
    queryKey: [...keyOf('games', id), text],
    queryFn: ({ signal }) =>
      unwrap(partyOf(id).games.get({ ...asLink, query: { q: text }, fetch: { signal } })),
    enabled: text.trim().length > 1,
    staleTime: 60_000,
  })

/** Wishes and votes answer with the page as it is now. */
export function useShowGuest(id: number) {
  const queries = useQueryClient()
  return (view: GuestView) => queries.setQueryData(keyOf('guest', id), view)
}

export const wishFor = (id: number, body: WishBody) => unwrap(partyOf(id).wishes.post(body, asLink))
export const nameDevice = (id: number, name: string) =>
  unwrap(partyOf(id).name.put({ name }, asLink))
export const vote = (id: number, wish: number) =>
  unwrap(partyOf(id).wishes({ wish }).vote.put(undefined, asLink))
export const unvote = (id: number, wish: number) =>
  unwrap(partyOf(id).wishes({ wish }).vote.delete(undefined, asLink))
export const removeWish = (id: number, wish: number) =>
  unwrap(partyOf(id).wishes({ wish }).delete())
export const saveParty = (id: number, settings: PartySettings) => unwrap(partyOf(id).put(settings))
export const endParty = (id: number) => unwrap(partyOf(id).delete())
export const renewLinks = (id: number) => unwrap(partyOf(id).links.post())

/** The link, or the party, is no more. */
export const hasEnded = (error: Error | null): boolean =>
  error instanceof Refusal && [401, 403, 404].includes(error.status)
