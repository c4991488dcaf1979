import { inputValue, momentOf } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Intervals between time axis marks, seconds; from a day on they follow the calendar. */
const timeSteps = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7, 14, 30, 91, 182, 365].map((days) => days * day),
]
const monthSeconds = 30 * day
/** More marks fit on no screen; bounds the loop below. */
const ticksMax = 60

/** Unix seconds between two moments that are round on the user's clock. */
export function timeTicks(from: number, to: number, wanted: number): number[] {
  const span = to - from
  if (!(span > 0) || wanted < 1) return []
  const yearly = Math.ceil(span / wanted / (365 * day)) * 365 * day
  const step = timeSteps.find((known) => span / known <= wanted) ?? yearly
  // What the clock shows, as if it were UTC.
  const at = new Date(`${inputValue(new Date(from * 1000))}Z`)
  const next = (() => {
    if (step >= monthSeconds) {
      const months = Math.round(step / monthSeconds)
      at.setUTCHours(0, 0, 0, 0)
      at.setUTCMonth(Math.floor(at.getUTCMonth() / Math.min(months, 12)) * Math.min(months, 12), 1)
      return () => at.setUTCMonth(at.getUTCMonth() + months)
    }
    const stepMs = Math.min(step, day) * 1000
    at.setTime(Math.floor(at.getTime() / stepMs) * stepMs)
    return () => at.setTime(at.getTime() + step * 1000)
  })()
  const ticks: number[] = []
  for (let turn = 0; turn < ticksMax; turn++) {
    const moment = momentOf(at.toISOString().slice(0, 16)).getTime() / 1000
    if (moment > to) break
    // An hour that the clock skips is that of another mark.
    if (moment >= from && moment !== ticks.at(-1)) ticks.push(moment)
    next()
  }
  return ticks
}

/** Round values from zero to `top`, about `wanted` of them at most. */
export function amountTicks(top: number, wanted: number): number[] {
  if (!(top > 0) || wanted < 1) return [0]
  const rough = top / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step)
}

/**
 * Minimum upper end of an axis for total traffic, bytes per second: noise must not fill the chart.
 */
const topMin = 1_000_000
const headroom = 1.08

/** Upper end of the axis. Nothing is clipped: short bursts are what a chart of traffic is read for. */
export const axisTop = (values: readonly (number | null)[], least = topMin): number =>
  Math.max(least, Math.max(0, ...values.map((value) => value ?? 0)) * headroom)

const units = [
  ['flow.days', 86_400],
  ['flow.hours', 3600],
  ['flow.minutes', 60],
] as const

/** Over what time each point of a chart is an average: `10-minute average`. */
export function flowNote(bucketSeconds: number): string {
  const [key, seconds] = units.find(([, unit]) => bucketSeconds % unit === 0) ?? units[2]
  return t(key, { count: bucketSeconds / seconds })
}
