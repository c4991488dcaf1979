import { durationText } from '../format/times.ts'
import { t } from '../locales/translate.ts'

/** Whole seconds until a moment; zero when it has passed or is invalid. */
export function remainingSeconds(until: string, now: Date): number {
  const left = Math.ceil((Date.parse(until) - now.getTime()) / 1000)
  return left > 0 ? left : 0
}

/** Expiry years from here on mean that a session does not expire. */
const neverYear = 2090

export const isForever = (until: string): boolean => new Date(until).getFullYear() >= neverYear

const hourSeconds = 3600

/** Only the largest unit, for narrow places. */
export const shortRemaining = (seconds: number): string =>
  durationText(seconds < hourSeconds ? seconds : Math.floor(seconds / hourSeconds) * hourSeconds)

/** `3 hr 12 min left`, or that it has expired. */
export const remainingText = (seconds: number): string =>
  seconds === 0 ? t('guest.over') : t('guest.left', { time: durationText(seconds) })
