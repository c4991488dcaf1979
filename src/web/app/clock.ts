import { useSyncExternalStore } from 'react'
import { setClock, type Clock } from '../format/times.ts'
import { readStored } from './look.ts'

const key = 'larder.clock'
let version = 0
const listeners = new Set<() => void>()

/** The clock of the last visit, so that nothing jumps when the preferences arrive. */
export function restoreClock(): void {
  try {
    // Written by this page only; a zone that is not known any more throws when it is used.
    const clock = JSON.parse(readStored(key) ?? '{}') as Clock
    Intl.DateTimeFormat('en', { ...clock })
    setClock(clock)
  } catch {
    setClock({})
  }
}

/** Stores and applies a clock; what is shown is written anew only when it differs. */
export function adoptClock(clock: Clock): void {
  const text = JSON.stringify(clock)
  if (text === readStored(key)) return
  localStorage.setItem(key, text)
  setClock(clock)
  version += 1
  for (const listener of listeners) listener()
}

/** Grows with every change of the clock. */
export const useClockVersion = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    () => version,
  )
