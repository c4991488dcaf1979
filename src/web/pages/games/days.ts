import type { DownloadRow } from '../../api/wire.ts'

export interface Day {
  /** Local midnight, milliseconds. */
  at: number
  cached: number
  fetched: number
}

/** Bars beyond this are thinner than a finger and a glance. */
export const daysMax = 92

type Dated = Pick<DownloadRow, 'startTimeUtc' | 'cacheHitBytes' | 'cacheMissBytes'>

/** Bytes per local day from the first to the last download, days without any included. */
export function bytesPerDay(rows: readonly Dated[]): Day[] {
  const days = new Map<number, Day>()
  const midnightOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
  for (const row of rows) {
    const at = midnightOf(new Date(row.startTimeUtc))
    const day = days.get(at) ?? { at, cached: 0, fetched: 0 }
    day.cached += row.cacheHitBytes
    day.fetched += row.cacheMissBytes
    days.set(at, day)
  }
  if (days.size === 0) return []
  const last = Math.max(...days.keys())
  const first = Math.min(...days.keys())
  const all: Day[] = []
  for (const at = new Date(last); at.getTime() >= first && all.length < daysMax;) {
    all.unshift(days.get(at.getTime()) ?? { at: at.getTime(), cached: 0, fetched: 0 })
    at.setDate(at.getDate() - 1)
  }
  return all
}
