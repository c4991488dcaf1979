import { keepPreviousData } from '@tanstack/react-query'
import type { CalendarEvent } from '../../downloads/events/model.ts'
import { api, keys } from './client.ts'
import { useRead } from './queries.ts'

export type { CalendarEvent }

const minuteMs = 60_000

/** Every event, newest first. */
export const useEvents = () =>
  useRead([...keys.events, 'list'], api.events.get, { staleTime: minuteMs })

export const useEvent = (id: number) =>
  useRead([...keys.events, 'one', id], api.events({ id }).get, { enabled: id > 0 })

/** Name of a filter's event; empty until loaded. */
export const useEventName = (id = 0): string => useEvent(id).data?.name ?? ''

/** Running events; they begin and end without an event from the server. */
export const useActiveEvents = () =>
  useRead([...keys.events, 'active'], api.events.active.get, { refetchInterval: minuteMs })

/** An event's downloads: those with its tag, or all that began inside it. */
export const useEventDownloads = (id: number, taggedOnly: boolean) =>
  useRead(
    [...keys.events, 'downloads', id, taggedOnly],
    (asking) => {
      // As many as the event's figures count.
      const query = { taggedOnly, showZeroBytes: true }
      return api.events({ id }).downloads.get({ query, ...asking })
    },
    { placeholderData: keepPreviousData, enabled: id > 0 },
  )
