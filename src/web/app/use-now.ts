import { useEffect, useState } from 'react'
import { useClockVersion } from './clock.ts'

/** The present, refreshed every so often; the clock stands still while nobody looks. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date())
  // Whoever shows times writes them anew when the clock is changed.
  useClockVersion()
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(new Date())
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
