import { dayIn, momentOf } from '../format/times.ts'

export type Days = 'today' | 'yesterday' | 'month'

/** Whole days of the user's zone, up to now at most. */
export function daysSearch(days: Days, now: Date): { start: number; end: number } {
  const today = dayIn(now)
  const before = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const first = { today, yesterday: before, month: `${today.slice(0, 8)}01` }[days]
  const seconds = (day: string) => momentOf(`${day}T00:00`).getTime() / 1000
  const end = days === 'yesterday' ? seconds(today) : Math.ceil(now.getTime() / 60_000) * 60
  return { start: seconds(first), end }
}
