import { useQueryClient } from '@tanstack/react-query'
import { ownHeaders, keys } from '../../api/client.ts'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { createValue } from '../../app/value.ts'
import { notifyError, notify } from '../../components/toast.tsx'
import { t } from '../../locales/translate.ts'

/** Slightly longer than the undo toast is shown. */
const graceMs = 8500

/**
 * Deleting an event deletes its tags, which cannot be restored. So it is hidden at once, and
 * deleted when the time for undo is over or the page is closed.
 */
const pending = new Map<number, () => void>()
const ids = createValue<readonly number[]>([])
const announce = (): void => ids.set([...pending.keys()])

/** Events hidden because their deletion is pending. */
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
        .catch(() => notifyError(t('events.notDeleted', { name })))
        // Refetch before showing it again, or it would reappear briefly.
        .then(() => queries.invalidateQueries({ queryKey: keys.events }))
        .finally(() => {
          pending.delete(id)
          announce()
        })
    }
    pending.set(id, deleteNow)
    announce()
    notify(t('events.wasDeleted', { name }), () => {
      clearTimeout(timer)
      pending.delete(id)
      announce()
    })
  }
}
