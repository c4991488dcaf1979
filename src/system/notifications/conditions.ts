import type { Settings } from '../../core/settings/settings.ts'
import type { Message } from './message.ts'

/** Conditions that are remembered; the oldest one is forgotten. */
const conditionsMax = 200

export type Notice = Omit<Message, 'raisedAt'>

/** Conditions that last: each is raised once, and again after it was over or has changed. */
export interface Conditions {
  /** `state` is what has to change for another notification. */
  holds(key: string, state: string, notice: Notice): void
  isOver(key: string): void
}

/** Remembered in the settings, so that a restart repeats nothing. */
export const createConditions = (
  settings: Settings,
  raise: (notice: Notice) => void,
): Conditions => ({
  holds(key, state, notice) {
    const { [key]: known, ...others } = settings.get('notifications.conditions')
    if (known === state) return
    const kept = Object.entries(others).slice(1 - conditionsMax)
    settings.set('notifications.conditions', { ...Object.fromEntries(kept), [key]: state })
    raise(notice)
  },
  isOver(key) {
    const { [key]: known, ...others } = settings.get('notifications.conditions')
    if (known !== undefined) settings.set('notifications.conditions', others)
  },
})
