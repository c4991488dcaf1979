import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type {
  BannedPrefillUser,
  CachedApp,
  HistoryEntry,
  PrefillSessionDto as SessionRow,
  SessionPage,
} from '../../../../prefill/administration/model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'

export type { SessionRow, BannedPrefillUser as Ban }

const admin = '/api/prefill-admin'
const pageSize = 20

export const usePrefillSessions = (page: number) =>
  useQuery({
    queryKey: [...keys.prefill, 'sessions', page],
    queryFn: () => ask<SessionPage>('GET', `${admin}/sessions?page=${page}&pageSize=${pageSize}`),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })

export const useSessionHistory = (sessionId: string) =>
  useQuery({
    queryKey: [...keys.prefill, 'history', sessionId],
    queryFn: () => ask<HistoryEntry[]>('GET', `${admin}/sessions/${sessionId}/history`),
    refetchInterval: 10_000,
  })

export const useBans = () =>
  useQuery({
    queryKey: [...keys.prefill, 'bans'],
    queryFn: () => ask<BannedPrefillUser[]>('GET', `${admin}/bans`),
  })

export const useCachedApps = () =>
  useQuery({
    queryKey: [...keys.prefill, 'cached'],
    queryFn: () => ask<CachedApp[]>('GET', `${admin}/cache`),
  })

export const terminate = (sessionId: string) =>
  ask('POST', `${admin}/sessions/${sessionId}/terminate`, { reason: null, force: false })
export const terminateAll = () =>
  ask('POST', `${admin}/sessions/terminate-all`, { reason: null, force: true })
export const banSession = (sessionId: string) =>
  ask('POST', `${admin}/bans/by-session/${sessionId}`, { reason: null, expiresAt: null })
export const banName = (username: string, reason: string) =>
  ask('POST', `${admin}/bans`, {
    username,
    reason: reason === '' ? null : reason,
    sessionId: null,
    expiresAt: null,
  })
export const lift = (banId: number) => ask('POST', `${admin}/bans/${banId}/lift`)
export const forgetCache = () => ask('DELETE', `${admin}/cache`)
