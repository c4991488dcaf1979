import type { Static } from '@sinclair/typebox'
import { requireChoice } from '../../core/http/choice.ts'
import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalClock, timeFormats, type ClockChoice } from '../preferences/rules.ts'
import type { ClockBody } from '../preferences/model.ts'
import { requireRate } from './rate.ts'

const flagKeys = ['sharpCorners', 'disableTooltips', 'showDatasourceLabels'] as const

export const guestRate = ({ settings }: AccessParts) => ({
  refreshRate: settings.get('guest.refreshRate'),
  locked: settings.get('guest.isRefreshRateLocked'),
})

/** Default rate of guests without their own. Throws `invalid` for an unknown rate. */
export function setGuestRate({ settings, hub }: AccessParts, text: string | undefined): string {
  const refreshRate = requireRate(text)
  settings.set('guest.refreshRate', refreshRate)
  hub.publish('DefaultGuestRefreshRateChanged', { refreshRate })
  return refreshRate
}

/** Whether guests may choose a rate; a decision for one session takes precedence. */
export function setGuestRateLock({ settings, hub }: AccessParts, locked: boolean | undefined) {
  // Reading an empty body as `false` would unlock by mistake.
  if (locked === undefined) throw new AppError('invalid', 'locked is missing')
  settings.set('guest.isRefreshRateLocked', locked)
  hub.publish('GuestRefreshRateLockChanged', { locked })
  return locked
}

export const guestPreferences = ({ settings }: AccessParts) => settings.get('guest.preferences')

/**
 * Sets one default switch for new guests, whose name may be in any case; returns it as it is
 * stored. Throws `invalid` for an unknown key or a missing value.
 */
export function setGuestFlag(
  { settings, hub }: AccessParts,
  { key: text, value }: { key: string; value: boolean | undefined },
): { key: string; value: boolean } {
  const key = requireChoice(flagKeys, text, 'key')
  if (value === undefined) throw new AppError('invalid', 'value is missing')
  settings.set('guest.preferences', { ...settings.get('guest.preferences'), [key]: value })
  hub.publish('DefaultGuestPreferencesChanged', { key, value })
  return { key, value }
}

/** The time formats guests choose from. Throws `invalid` when empty or unknown. */
export function setGuestFormats(
  { settings, hub }: AccessParts,
  wanted: readonly string[] = [],
): string[] {
  if (wanted.length === 0) requireChoice(timeFormats, null, 'formats')
  const known = new Set(wanted.map((format) => requireChoice(timeFormats, format, 'formats')))
  const formats = timeFormats.filter((format) => known.has(format))
  const held = settings.get('guest.preferences')
  settings.set('guest.preferences', { ...held, allowedTimeFormats: formats })
  hub.publish('AllowedTimeFormatsChanged', { formats })
  return formats
}

/** Clock format for new guests. */
export function setGuestClock(
  { settings, hub }: AccessParts,
  wanted: Static<typeof ClockBody>,
): ClockChoice {
  const held = settings.get('guest.preferences')
  const { useUtcTimezone, useLocalTimezone, use24HourFormat } = held
  const previousClock = { useUtcTimezone, useLocalTimezone, use24HourFormat }
  const clock = normalClock(wanted)
  settings.set('guest.preferences', { ...held, ...clock })
  hub.publish('DefaultGuestPreferencesChanged', { key: 'clock', clock, previousClock })
  return clock
}
