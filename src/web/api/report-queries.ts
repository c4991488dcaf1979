import { keepPreviousData } from '@tanstack/react-query'
import type { GameReport, ServiceReport } from '../../downloads/games/model.ts'
import { periodOf, rangeKey, type Range } from '../app/range.ts'
import { api } from './eden.ts'
import { useRead } from './queries.ts'
import { keys } from './keys.ts'

export type { GameReport, ServiceReport }

/** One game over all time. */
export const useGameReport = (service: string, id: string) =>
  useRead([...keys.games, 'report', service, id], (asking) =>
    api.ext
      .games({ service })({ id })
      .get({ query: {}, ...asking }),
  )

/** Bytes of one game over the range. */
export const useGameTraffic = (service: string, id: string, range: Range) =>
  useRead(
    [...keys.games, 'traffic', service, id, rangeKey(range)],
    (asking) => {
      const query = periodOf(range, new Date()) ?? {}
      return api.ext
        .games({ service })({ id })
        .traffic.get({ query, ...asking })
    },
    { placeholderData: keepPreviousData },
  )

/** One service over all time. */
export const useServiceReport = (service: string) =>
  useRead([...keys.games, 'service', service], (asking) =>
    api.ext.services({ service }).get({ query: {}, ...asking }),
  )
