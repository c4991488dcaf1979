import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { refreshRateOf, refreshRates, type RefreshRate } from '../preferences/rules.ts'

/** A rate as it is stored. Throws `invalid` when it is missing or unknown. */
export function requireRate(text: string | undefined): RefreshRate {
  const rate = refreshRateOf(text)
  if (rate === null) {
    throw new AppError('invalid', `refreshRate is one of ${refreshRates.join(', ')}`)
  }
  return rate
}

/** How often dashboards ask when their session has no own rate. */
export const systemRate = ({ settings }: AccessParts): string => settings.get('system.refreshRate')

export function setSystemRate({ settings }: AccessParts, text: string | undefined): string {
  const refreshRate = requireRate(text)
  settings.set('system.refreshRate', refreshRate)
  return refreshRate
}
