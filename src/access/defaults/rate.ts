import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { refreshRateOf, refreshRates, type RefreshRate } from '../preferences/rules.ts'

/** A rate in its stored form. Throws `invalid` when missing or unknown. */
export function requireRate(text: string | undefined): RefreshRate {
  const rate = refreshRateOf(text)
  if (rate === null) {
    throw new AppError('invalid', `refreshRate must be one of ${refreshRates.join(', ')}`)
  }
  return rate
}

/** Dashboard refresh rate for sessions without their own. */
export const systemRate = ({ settings }: AccessParts): string => settings.get('system.refreshRate')

export function setSystemRate({ settings }: AccessParts, text: string | undefined): string {
  const refreshRate = requireRate(text)
  settings.set('system.refreshRate', refreshRate)
  return refreshRate
}
