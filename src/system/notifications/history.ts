import { isWritten } from '../../core/lib/storage-faults.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Message } from './message.ts'
import type { HistoryEntry } from './model.ts'

/** Messages that are remembered after their end; the oldest one is forgotten. */
export const historyMax = 200

export interface NotificationHistory {
  /** A message was delivered to a target, or given up with a reason. */
  ended(target: string, message: Pick<Message, 'kind' | 'title'>, error: string | null): void
  /** The newest first. */
  read(): HistoryEntry[]
}

export const createNotificationHistory = (
  settings: Settings,
  clock: Clock,
): NotificationHistory => ({
  ended(target, { kind, title }, error) {
    const entry = { atUtc: clock.now().toISOString(), kind, title, target, error }
    const before = settings.get('notifications.history')
    isWritten(() => settings.set('notifications.history', [entry, ...before].slice(0, historyMax)))
  },
  read: () => settings.get('notifications.history'),
})
