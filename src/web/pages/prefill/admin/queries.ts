import { keepPreviousData } from '@tanstack/react-query'
import type {
  BannedPrefillUser as Ban,
  PrefillSessionDto as SessionRow,
} from '../../../../prefill/administration/model.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'

export type { Ban, SessionRow }

const admin = api['prefill-admin']
const pageSize = 20
const pollMs = 10_000

export const usePrefillSessions = (page: number) =>
  useRead(
    [...keys.prefill, 'sessions', page],
    (asking) => admin.sessions.get({ query: { page, pageSize }, ...asking }),
    { placeholderData: keepPreviousData, refetchInterval: pollMs },
  )

export const useSessionHistory = (sessionId: string) =>
  useRead([...keys.prefill, 'history', sessionId], admin.sessions({ sessionId }).history.get, {
    refetchInterval: pollMs,
  })

export const useBans = () => useRead([...keys.prefill, 'bans'], admin.bans.get)
export const useCachedApps = () => useRead([...keys.prefill, 'cached'], admin.cache.get)

export const terminate = (sessionId: string) =>
  unwrap(admin.sessions({ sessionId }).terminate.post({ reason: null, force: false }))
export const terminateAll = () =>
  unwrap(admin.sessions['terminate-all'].post({ reason: null, force: true }))
export const banSession = (sessionId: string) =>
  unwrap(admin.bans['by-session']({ sessionId }).post({ reason: null, expiresAt: null }))
export const banName = (username: string, reason: string) =>
  unwrap(admin.bans.post({ username, reason: reason || null, sessionId: null, expiresAt: null }))
export const lift = (banId: number) => unwrap(admin.bans({ banId }).lift.post())
export const forgetCache = () => unwrap(admin.cache.delete())
