import { useEffect, useState } from 'react'
import { useClockVersion } from './clock.ts'

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
