import { isWritten } from '../../core/lib/storage-faults.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Message } from './message.ts'

/** Conditions of a kind that are remembered; the oldest one is forgotten. */
const conditionsMax = 500

/** Keys begin with their kind. */
const kindOf = (key: string) => key.split(' ', 1)[0]

export type Notice = Omit<Message, 'raisedAt'>

export type Conditions = ReturnType<typeof createConditions>

/**
 * Conditions that last: each is raised once, and again after it was over or has changed. They are in
 * the settings, so that a restart repeats nothing.
 */
export function createConditions(settings: Settings, raise: (notice: Notice) => void) {
  /** What a full disk did not take; null: everything is stored. */
  let unstored: SettingValue<'notifications.conditions'> | null = null
  const read = () => unstored ?? settings.get('notifications.conditions')
  function write(held: NonNullable<typeof unstored>): void {
    unstored = isWritten(() => settings.set('notifications.conditions', held)) ? null : held
  }
  /** Remembers a state without a notification. */
  function note(key: string, state: string): void {
    const { [key]: _former, ...others } = read()
    // Builds and jobs come and go by the hundred; they do not push out what lasts.
    const ofKind = Object.keys(others).filter((one) => kindOf(one) === kindOf(key))
    for (const one of ofKind.slice(0, 1 - conditionsMax)) delete others[one]
    write({ ...others, [key]: state })
  }
  /** The state that was notified or noted last. */
  const known = (key: string) => read()[key]

  return {
    known,
    note,
    /** Keys of a kind, with their states. */
    ofKind: (kind: string) => Object.entries(read()).filter(([key]) => kindOf(key) === kind),
    /** `state` is what has to change for another notification. */
    holds(key: string, state: string, notice: Notice): void {
      if (known(key) === state) return
      note(key, state)
      raise(notice)
    },
    /** `notice` is raised if the condition was known. */
    isOver(key: string, notice: Notice | null = null): void {
      const { [key]: former, ...others } = read()
      if (former === undefined) return
      write(others)
      if (notice !== null) raise(notice)
    },
  }
}
