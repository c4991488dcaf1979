const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Intervals between time axis marks, seconds; from a day on they follow the calendar. */
const timeSteps = [
  minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  14 * day,
  30 * day,
  91 * day,
  182 * day,
  365 * day,
] as const
const monthSeconds = 30 * day
/** More marks fit on no screen; bounds the loop below. */
const ticksMax = 60

/** Unix seconds between two moments that are round in local time. */
export function timeTicks(from: number, to: number, wanted: number): number[] {
  const span = to - from
  if (!(span > 0) || wanted < 1) return []
  const yearly = Math.ceil(span / wanted / (365 * day)) * 365 * day
  const step = timeSteps.find((known) => span / known <= wanted) ?? yearly
  const at = new Date(from * 1000)
  const next = (() => {
    if (step >= monthSeconds) {
      const months = Math.round(step / monthSeconds)
      at.setHours(0, 0, 0, 0)
      at.setMonth(Math.floor(at.getMonth() / Math.min(months, 12)) * Math.min(months, 12), 1)
      return () => at.setMonth(at.getMonth() + months)
    }
    at.setHours(0, 0, 0, 0)
    if (step >= day) return () => at.setDate(at.getDate() + step / day)
    const sinceMidnight = Math.floor((from - at.getTime() / 1000) / step) * step
    at.setTime(at.getTime() + sinceMidnight * 1000)
    return () => at.setTime(at.getTime() + step * 1000)
  })()
  const ticks: number[] = []
  for (let turn = 0; turn < ticksMax && at.getTime() / 1000 <= to; turn++) {
    if (at.getTime() / 1000 >= from) ticks.push(at.getTime() / 1000)
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
