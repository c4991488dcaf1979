import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { GameReport, GameTraffic, ServiceReport } from '../../api/downloads/games/model.ts'
import { periodOf, rangeKey, type Range } from '../app/range.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'

export type { GameReport, ServiceReport }

/** Everything about one game, over all time. */
export const useGameReport = (service: string, id: string) =>
  useQuery({
    queryKey: [...keys.games, 'report', service, id],
    queryFn: ({ signal }): Promise<GameReport> =>
      unwrap(api.ext.games({ service })({ id }).get({ query: {}, fetch: { signal } })),
  })

/** Bytes of one game over the range. */
export const useGameTraffic = (service: string, id: string, range: Range) =>
  useQuery({
    queryKey: [...keys.games, 'traffic', service, id, rangeKey(range)],
    queryFn: ({ signal }): Promise<GameTraffic> => {
      const query = periodOf(range, new Date()) ?? {}
      return unwrap(api.ext.games({ service })({ id }).traffic.get({ query, fetch: { signal } }))
    },
    placeholderData: keepPreviousData,
  })

/** Everything about one service, over all time. */
export const useServiceReport = (service: string) =>
  useQuery({
    queryKey: [...keys.games, 'service', service],
    queryFn: ({ signal }): Promise<ServiceReport> =>
      unwrap(api.ext.services({ service }).get({ query: {}, fetch: { signal } })),
  })
