import type { UserPreferences } from '../../access/preferences/model.ts'
import type { Clock } from '../format/times.ts'

/** Refresh intervals of figures in milliseconds; names as on the wire. */
export const refreshRates = {
  LIVE: 500,
  ULTRA: 1000,
  REALTIME: 5000,
  STANDARD: 10_000,
  RELAXED: 30_000,
  SLOW: 60_000,
} as const
export type RefreshRate = keyof typeof refreshRates
// The keys of the literal.
export const refreshRateNames = Object.keys(refreshRates) as RefreshRate[]

export const readRate = (rate: string | null | undefined): RefreshRate | null =>
  refreshRateNames.find((name) => name === rate?.toUpperCase()) ?? null

export const timeFormats = ['server-24h', 'server-12h', 'local-24h', 'local-12h', 'utc'] as const
export type TimeFormat = (typeof timeFormats)[number]

export type ClockFlags = Pick<
  UserPreferences,
  'useUtcTimezone' | 'useLocalTimezone' | 'use24HourFormat'
>

export const clockFlagsOf = (format: TimeFormat): ClockFlags => ({
  useUtcTimezone: format === 'utc',
  useLocalTimezone: format.startsWith('local'),
  use24HourFormat: !format.endsWith('12h'),
})

export function timeFormatOf(flags: ClockFlags): TimeFormat {
  if (flags.useUtcTimezone) return 'utc'
  const zone = flags.useLocalTimezone ? 'local' : 'server'
  return `${zone}-${flags.use24HourFormat ? '24h' : '12h'}`
}

/** The clock for displaying times. An unknown server zone falls back to the browser's. */
export function clockOf(flags: ClockFlags, serverZone: string | null): Clock {
  const hourCycle = flags.useUtcTimezone || flags.use24HourFormat ? 'h23' : 'h12'
  if (flags.useUtcTimezone) return { timeZone: 'UTC', hourCycle }
  const zone = flags.useLocalTimezone ? null : serverZone
  return zone === null || !isZone(zone) ? { hourCycle } : { timeZone: zone, hourCycle }
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export interface RateParts {
  preferences: Pick<UserPreferences, 'refreshRate' | 'refreshRateLocked'> | null
  isGuest: boolean
  system: string | null
  guest: { refreshRate: string; locked: boolean } | null
}

/** The effective rate: the user's own, else the default for guests or for everyone. */
export function effectiveRate({ preferences, isGuest, system, guest }: RateParts) {
  const isLocked = isGuest && (preferences?.refreshRateLocked ?? guest?.locked ?? false)
  const fallback = isGuest ? guest?.refreshRate : system
  const rate = readRate(preferences?.refreshRate) ?? readRate(fallback) ?? 'STANDARD'
  return {
    rate,
    /** Guests may be restricted to the configured rate. */
    isLocked,
  }
}

/** A guest sends its preferences without the members it may not write. */
export const mergePreferences = (
  held: UserPreferences | undefined,
  news: Partial<UserPreferences>,
): UserPreferences | undefined => (held === undefined ? undefined : { ...held, ...news })

/** Formats that this session may choose from. */
export function allowedFormats(
  own: readonly string[] | null,
  forGuests: readonly string[] | null,
  isGuest: boolean,
): readonly TimeFormat[] {
  const list = own ?? (isGuest ? forGuests : null)
  const known = timeFormats.filter((format) => list?.includes(format) ?? true)
  return known.length === 0 ? timeFormats : known
}
