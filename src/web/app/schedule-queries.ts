import { keepPreviousData } from '@tanstack/react-query'
import { api, keys } from '../api/client.ts'
import { useAccountRead } from '../api/queries.ts'
import type { CustomSchedule } from '../../core/settings/schedule-settings.ts'

export const useSchedules = () => useAccountRead(keys.schedules, api.system.schedules.get)
export type Schedule = NonNullable<ReturnType<typeof useSchedules>['data']>[number]

/** The next runs of a calendar that is not saved yet, or why it is refused. */
export function useNextRuns({ expression, timeZoneId, windowStart, windowEnd }: CustomSchedule) {
  const query = {
    expression,
    timeZoneId,
    ...(windowStart && { windowStart }),
    ...(windowEnd && { windowEnd }),
  }
  return useAccountRead(
    [...keys.schedules, 'next', JSON.stringify(query)],
    (asking) => api.ext.schedules['next-runs'].get({ query, ...asking }),
    { placeholderData: keepPreviousData },
  )
}
