import { setClock, type Clock } from '../format/times.ts'
import { readStored } from './appearance.ts'
import { createValue } from './value.ts'
import { useEffect, useState } from 'react'

const key = 'larder.clock'
const version = createValue(0)

/** Restores the last visit's clock, so that times do not change when the preferences arrive. */
export function restoreClock(): void {
  try {
    // Written only by this page; an obsolete zone throws on use.
    const clock = JSON.parse(readStored(key) ?? '{}') as Clock
    Intl.DateTimeFormat('en', { ...clock })
    setClock(clock)
  } catch {
    setClock({})
  }
}

/** Stores and applies a clock; components re-render only when it differs. */
export function adoptClock(clock: Clock): void {
  const text = JSON.stringify(clock)
  if (text === readStored(key)) return
  localStorage.setItem(key, text)
  setClock(clock)
  version.set(version.get() + 1)
}

/** Incremented with every change of the clock. */
const useClockVersion = (): number => version.use()

/** The current time, updated at an interval; it pauses while the tab is hidden. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date())
  // Components that show times re-render when the clock changes.
  useClockVersion()
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(new Date())
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
