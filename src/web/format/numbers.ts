import { region } from '../locales/translate.ts'

/** A figure and its unit, so that the unit can be set smaller. */
export interface Amount {
  value: string
  unit: string
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const
const cache = new Map<string, Intl.NumberFormat>()

export function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${region()} ${JSON.stringify(options)}`
  const known = cache.get(key) ?? new Intl.NumberFormat(region(), options)
  cache.set(key, known)
  return known
}

/** Three significant digits: precise enough, and columns keep their width. */
function three(value: number): string {
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return formatter({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
}

/** Bytes in the decimal unit that keeps the figure below a thousand. */
export function byteAmount(bytes: number): Amount {
  const size = Math.max(0, bytes)
  let step = 0
  let value = size
  while (value >= 999.5 && step < units.length - 1) {
    value /= 1000
    step += 1
  }
  const unit = units[step] ?? 'B'
  return {
    value: step === 0 ? formatter({ maximumFractionDigits: 0 }).format(value) : three(value),
    unit,
  }
}

export function byteText(bytes: number): string {
  const { value, unit } = byteAmount(bytes)
  return `${value} ${unit}`
}

/** Two amounts side by side: to the byte if they differ but would look the same. */
export function bytePair(one: number, other: number): [string, string] {
  const pair: [string, string] = [byteText(one), byteText(other)]
  return one !== other && pair[0] === pair[1] ? [exactText(one), exactText(other)] : pair
}

const exactText = (bytes: number): string => `${countText(bytes)} B`

/** Bytes at an axis: no trailing zeros. */
export const byteTick = (bytes: number): string => byteText(bytes).replace(/[.,]0+(?=\s)/, '')

/** Bytes per second, never in plain bytes: changing units would make it unreadable. */
export function rateAmount(bytesPerSecond: number): Amount {
  if (bytesPerSecond < 1000) {
    const value = bytesPerSecond <= 0 ? '0' : three(Math.max(0.01, bytesPerSecond / 1000))
    return { value, unit: bytesPerSecond <= 0 ? 'MB/s' : 'kB/s' }
  }
  const { value, unit } = byteAmount(bytesPerSecond)
  return { value, unit: `${unit}/s` }
}

export function rateText(bytesPerSecond: number): string {
  const { value, unit } = rateAmount(bytesPerSecond)
  return `${value} ${unit}`
}

/**
 * A whole number, but never rounded to the ends: 99.6 is not 100. What exceeds a limit is more than 100.
 */
export function percentValue(percent: number): string {
  const isEnd = percent <= 0 || percent >= 100
  const inside = Math.min(99.9, Math.max(0.1, percent))
  const needsDecimal = !isEnd && (inside >= 99.5 || inside < 0.5)
  const digits = needsDecimal ? 1 : 0
  return formatter({ maximumFractionDigits: digits }).format(isEnd ? Math.max(0, percent) : inside)
}

/** One decimal, for the lead figure. */
export function percentLead(percent: number): string {
  return formatter({ maximumFractionDigits: percent >= 100 || percent <= 0 ? 0 : 1 }).format(
    percent,
  )
}

/** Per cent at an axis, whose steps may be smaller than one. */
export const percentTick = (percent: number): string => `${percentLead(percent)} %`

export const percentText = (percent: number): string => `${percentValue(percent)} %`

/** Small prices have four decimals. */
export const countText = (count: number): string =>
  formatter({ maximumFractionDigits: 4 }).format(count)

/** `+12 %`, with a real minus sign. */
export function changeText(percent: number): string {
  const shown = formatter({ maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format(percent)
  return `${shown.replace('-', '\u2212')} %`
}

/** Part of a whole in percent; 0 for an empty whole. */
export function share(part: number, whole: number): number {
  return whole > 0 ? (part / whole) * 100 : 0
}
