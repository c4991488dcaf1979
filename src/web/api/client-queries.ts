import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ClientGroup } from '../../clients/groups/model.ts'
import type { ClientDevice } from '../../clients/devices/model.ts'
import type { ClientExclusionRule } from '../../clients/exclusions/model.ts'
import type { ClientReport } from '../../downloads/games/model.ts'
import type { ClientStats } from '../../downloads/stats/model.ts'
import { rangeKey, type Range } from '../app/range.ts'
import { api, unwrap, keys } from './client.ts'
import { scopeQuery, useAccountRead, useIsAccount, useRead, useStatus } from './queries.ts'
import { Refusal } from './refusal.ts'

export type { ClientDevice, ClientExclusionRule, ClientGroup, ClientStats }

/** Maximum per response. */
const addressesMax = 1000

export const useClientGroups = () => useAccountRead(keys.clientGroups, api['client-groups'].get)

export const useExclusions = () => useAccountRead(keys.exclusions, api.stats.exclusions.get)

/** Clients that perhaps do not use the cache. Exclusions change it; the service reads it rarely. */
export const useBypass = () =>
  useAccountRead([...keys.exclusions, 'bypass'], api.ext.clients.bypass.get, {
    staleTime: bypassMs,
  })
const bypassMs = 5 * 60_000
export type BypassSuspect = NonNullable<ReturnType<typeof useBypass>['data']>['items'][number]

/** The DNS server whose query log is read; administrators only. */
export const useQueryLog = () =>
  useRead([...keys.exclusions, 'query-log'], api.ext.clients['query-log'].get, {
    enabled: useStatus().data?.sessionType === 'admin',
  })
export type QueryLogView = NonNullable<ReturnType<typeof useQueryLog>['data']>

/** Names by address, with the reason why some are missing; the request may take three seconds. */
export const useHostnames = () =>
  useRead([...keys.hostnames, 'names'], api.clients.hostnames.get, { staleTime: 60_000 })

export const useHostnameSwitches = () =>
  useAccountRead([...keys.hostnames, 'switches'], api.ext.clients.hostnames.enabled.get)

/** Bytes of each client over the range, as a small line. */
export const useClientLines = (range: Range) =>
  useAccountRead(
    [...keys.clients, 'lines', rangeKey(range)],
    (asking) => api.ext.clients.lines.get({ query: scopeQuery(range), ...asking }),
    { placeholderData: keepPreviousData },
  )

/** Every address with traffic as its own row, including group members and excluded clients. */
export const useAddresses = (range: Range) =>
  useAccountRead(
    [...keys.clients, 'addresses', rangeKey(range)],
    (asking) => {
      const all = { limit: addressesMax, mergeGroups: false, includeExcluded: true }
      return api.stats.clients.get({ query: { ...scopeQuery(range), ...all }, ...asking })
    },
    { placeholderData: keepPreviousData },
  )

/** One client over all time; null when it is hidden or has no downloads. */
export const useClientReport = (ip: string) =>
  useQuery({
    queryKey: [...keys.clients, 'report', ip],
    queryFn: async ({ signal }): Promise<ClientReport | null> => {
      try {
        return await unwrap(api.ext.clients({ ip }).get({ fetch: { signal } }))
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return null
        throw error
      }
    },
    enabled: useIsAccount(),
  })
