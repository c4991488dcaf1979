import type { Static } from '@sinclair/typebox'
import { choiceOf } from '../../core/http/choice.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { ClockBody, UserPreferences } from './model.ts'

export const defaultPreferences: UserPreferences = Object.freeze({
  selectedTheme: null,
  sharpCorners: false,
  disableFocusOutlines: false,
  disableTooltips: false,
  depotCatalogAlwaysVisible: false,
  disableStickyNotifications: false,
  useLocalTimezone: false,
  useUtcTimezone: false,
  use24HourFormat: true,
  showDatasourceLabels: true,
  refreshRate: null,
  refreshRateLocked: null,
  allowedTimeFormats: null,
  alphaMaxThreadCount: null,
  betaMaxThreadCount: null,
})

/** Set by account holders for a guest; guests can read but not write them. */
export const guardedKeys = [
  'refreshRateLocked',
  'allowedTimeFormats',
  'alphaMaxThreadCount',
  'betaMaxThreadCount',
] as const

export const timeFormats = ['server-24h', 'server-12h', 'local-24h', 'local-12h', 'utc']

/** Dashboard refresh: live, every 1, 5, 10, 30, 60 seconds. */
export const refreshRates = ['LIVE', 'ULTRA', 'REALTIME', 'STANDARD', 'RELAXED', 'SLOW'] as const
export type RefreshRate = (typeof refreshRates)[number]

/** The rate in its stored form, whatever its case; null when unknown. */
export function refreshRateOf(text: string | null | undefined): RefreshRate | null {
  const wanted = text?.trim().toUpperCase()
  return refreshRates.find((rate) => rate === wanted) ?? null
}

/** Whether a guest may not change its refresh rate: its own rule, else that of all guests. */
export const isRefreshRateLocked = (
  { settings }: { settings: Pick<Settings, 'get'> },
  held: UserPreferences,
): boolean => held.refreshRateLocked ?? settings.get('guest.isRefreshRateLocked')

/** No prefill uses more threads than this. */
export const threadsMax = 256
const themeCharsMax = 100

/** UTC always uses the 24-hour clock and excludes local time. Absent members are off. */
export function normalClock(wanted: Static<typeof ClockBody>) {
  const { useUtcTimezone, useLocalTimezone, use24HourFormat } = wanted
  if (useUtcTimezone === true)
    return { useUtcTimezone, useLocalTimezone: false, use24HourFormat: true }
  return {
    useUtcTimezone: false,
    useLocalTimezone: useLocalTimezone ?? false,
    use24HourFormat: use24HourFormat ?? false,
  }
}
export type ClockChoice = ReturnType<typeof normalClock>

const threads = (count: number | null): number | null =>
  count === null ? null : Math.min(Math.max(count, 1), threadsMax)

/** Known formats without duplicates; null when none remain. */
function formats(list: readonly string[] | null): string[] | null {
  const wanted = new Set(list?.map((format) => choiceOf(timeFormats, format)))
  const known = timeFormats.filter((format) => wanted.has(format))
  return known.length === 0 ? null : known
}

/** Preferences in their stored form, without contradictions and unknown values. */
export function normalPreferences(wanted: UserPreferences): UserPreferences {
  const { useUtcTimezone, useLocalTimezone, use24HourFormat } = wanted
  return {
    ...wanted,
    ...normalClock({ useUtcTimezone, useLocalTimezone, use24HourFormat }),
    selectedTheme: wanted.selectedTheme?.slice(0, themeCharsMax) ?? null,
    refreshRate: refreshRateOf(wanted.refreshRate),
    allowedTimeFormats: formats(wanted.allowedTimeFormats),
    alphaMaxThreadCount: threads(wanted.alphaMaxThreadCount),
    betaMaxThreadCount: threads(wanted.betaMaxThreadCount),
  }
}
