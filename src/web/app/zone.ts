import { browserZone } from '../format/times.ts'
import {
  clockFlagsOf,
  clockOf,
  isZone,
  timeFormatOf,
  timeFormats,
  type ClockFlags,
} from './preferences.ts'

/** The name of the zone in use when it differs from the server's, else null. */
export function foreignZone(flags: ClockFlags, serverZone: string | null): string | null {
  const shown = clockOf(flags, serverZone).timeZone ?? browserZone()
  return serverZone === null || !isZone(serverZone) || isSameZone(shown, serverZone) ? null : shown
}

/** Zones with the same offset now and half a year away, such as Berlin and Rome. */
function isSameZone(a: string, b: string): boolean {
  const now = new Date()
  const later = new Date(now.getTime() + 182 * 86_400_000)
  const text = (timeZone: string, at: Date) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at)
  return [now, later].every((at) => text(a, at) === text(b, at))
}

/** The clock of sessions that never chose one, as the service hands it out. */
const isUnchosen = (flags: ClockFlags): boolean => timeFormatOf(flags) === 'server-24h'

/**
 * The clock that a new session takes from this browser: the last one chosen here, else the
 * browser's zone. Null when the session has chosen one itself.
 */
export const firstClock = (flags: ClockFlags, last: string | null): ClockFlags | null => {
  if (!isUnchosen(flags)) return null
  const format = timeFormats.find((known) => known === last) ?? 'local-24h'
  return format === 'server-24h' ? null : clockFlagsOf(format)
}
