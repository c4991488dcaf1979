import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { CalendarEvent } from '../../api/downloads/events/model.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'

export type { CalendarEvent }

const minuteMs = 60_000

const listQuery = queryOptions({
  queryKey: [...keys.events, 'list'],
  queryFn: ({ signal }): Promise<CalendarEvent[]> => unwrap(api.events.get({ fetch: { signal } })),
  staleTime: minuteMs,
})

/** Every event, newest first. */
export const useEvents = () => useQuery(listQuery)

export const useEvent = (id: number) =>
  useQuery({
    queryKey: [...keys.events, 'one', id],
    queryFn: ({ signal }): Promise<CalendarEvent> =>
      unwrap(api.events({ id }).get({ fetch: { signal } })),
    enabled: id > 0,
  })

/** Name of an event for a filter that is set; empty until it is known. */
export function useEventName(id: number | undefined): string {
  const { data } = useEvent(id ?? 0)
  return data?.name ?? ''
}

/** Events under way; they begin and end without a message. */
export const useActiveEvents = () =>
  useQuery({
    queryKey: [...keys.events, 'active'],
    queryFn: ({ signal }): Promise<CalendarEvent[]> =>
      unwrap(api.events.active.get({ fetch: { signal } })),
    refetchInterval: minuteMs,
  })

/** Downloads of an event: those that carry its tag, or all that began inside it. */
export const useEventDownloads = (id: number, taggedOnly: boolean) =>
  useQuery({
    queryKey: [...keys.events, 'downloads', id, taggedOnly],
    queryFn: ({ signal }) =>
      unwrap(api.events({ id }).downloads.get({ query: { taggedOnly }, fetch: { signal } })),
    placeholderData: keepPreviousData,
    enabled: id > 0,
  })
