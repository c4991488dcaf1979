import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ClientGroup } from '../../api/clients/groups/model.ts'
import type { Hostnames } from '../../api/clients/hostnames/model.ts'
import type {
  ClientExclusionRule,
  ExclusionSettings,
} from '../../api/downloads/exclusions/model.ts'
import type { ClientReport } from '../../api/downloads/games/model.ts'
import type { ClientStats } from '../../api/downloads/stats/model.ts'
import { rangeKey, type Range } from '../app/range.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'
import { pollWhileAway, scopeQuery, useIsAccount } from './queries.ts'
import { Refusal } from './refusal.ts'

export type { ClientExclusionRule, ClientGroup, ClientStats }

/** The most that one answer carries. */
const addressesMax = 1000

export const useClientGroups = () =>
  useQuery({
    queryKey: keys.clientGroups,
    queryFn: ({ signal }): Promise<ClientGroup[]> =>
      unwrap(api['client-groups'].get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

export const useExclusions = () =>
  useQuery({
    queryKey: keys.exclusions,
    queryFn: ({ signal }): Promise<ExclusionSettings> =>
      unwrap(api.stats.exclusions.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

/** Names by address with the reason why some are missing; the answer may take three seconds. */
export const useHostnames = () =>
  useQuery({
    queryKey: [...keys.hostnames, 'names'],
    queryFn: ({ signal }): Promise<Hostnames> =>
      unwrap(api.clients.hostnames.get({ fetch: { signal } })),
    staleTime: 60_000,
  })

export const useHostnameSwitches = () =>
  useQuery({
    queryKey: [...keys.hostnames, 'switches'],
    queryFn: ({ signal }) => unwrap(api.ext.clients.hostnames.enabled.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

/** Every address with traffic on a row of its own: members of groups, and those left out as well. */
export const useAddresses = (range: Range) =>
  useQuery({
    queryKey: [...keys.clients, 'addresses', rangeKey(range)],
    queryFn: ({ signal }): Promise<ClientStats[]> => {
      const query = {
        ...scopeQuery(range),
        limit: addressesMax,
        mergeGroups: false,
        includeExcluded: true,
      }
      return unwrap(api.stats.clients.get({ query, fetch: { signal } }))
    },
    placeholderData: keepPreviousData,
    enabled: useIsAccount(),
    refetchInterval: pollWhileAway(false),
  })

/** One client over all time; null when it is hidden or has downloaded nothing. */
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
    refetchInterval: pollWhileAway(false),
  })
