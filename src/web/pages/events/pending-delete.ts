import { useQueryClient } from '@tanstack/react-query'
import { ownHeaders } from '../../api/eden.ts'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { keys } from '../../api/keys.ts'
import { createValue } from '../../app/value.ts'
import { complain, say } from '../../components/toast.tsx'
import { t } from '../../locales/translate.ts'

/** A little longer than the message with its "undo" is shown. */
const graceMs = 8500

/**
 * A deleted event takes its tags with it and cannot be made again as it was. So it disappears at once
 * and is deleted when nobody can take it back any more, or when the page is left.
 */
const pending = new Map<number, () => void>()
const ids = createValue<readonly number[]>([])
const announce = (): void => ids.set([...pending.keys()])

/** Events that look deleted already. */
export const usePendingDeletes = () => ids.use()

// Also when the tab is closed: the request outlives the page.
addEventListener('pagehide', () => {
  for (const deleteNow of pending.values()) deleteNow()
})

async function remove(id: number): Promise<void> {
  const answer = await fetch(`/api/events/${id}`, {
    method: 'DELETE',
    headers: ownHeaders(),
    keepalive: true,
  })
  if (!answer.ok && answer.status !== 404) throw new Error(`HTTP ${answer.status}`)
}

export function useDeleteEvent() {
  const queries = useQueryClient()
  return ({ id, name }: Pick<CalendarEvent, 'id' | 'name'>): void => {
    const timer = setTimeout(() => deleteNow(), graceMs)
    const deleteNow = () => {
      clearTimeout(timer)
      void remove(id)
        .catch(() => complain(t('events.notDeleted', { name })))
        // First read again, then stop hiding it: it must not flash up in between.
        .then(() => queries.invalidateQueries({ queryKey: keys.events }))
        .finally(() => {
          pending.delete(id)
          announce()
        })
    }
    pending.set(id, deleteNow)
    announce()
    say(t('events.wasDeleted', { name }), () => {
      clearTimeout(timer)
      pending.delete(id)
      announce()
    })
  }
}
