/**
 * Limits of every row of the history, whatever its origin: log lines, imports and snapshots obey
 * them. The bounds of time also bound the months, hence the partitions, that rows can create.
 */
export const rowLimits = {
  /** No proxy cache is older; earlier times come from a machine without a set clock. */
  earliestS: Date.UTC(2000, 0, 1) / 1000,
  /** How far a row may be ahead of our clock: a wrong time zone differs by a day at most. */
  aheadS: 2 * 86_400,
  /** From start to end of one download. */
  durationS: 366 * 86_400,
  /**
   * No response of a proxy is larger than a tebibyte. Millions of lines of that size fit into the
   * history's 64-bit sums.
   */
  bytes: 2 ** 40,
  requests: 2 ** 40,
  /** Lengths of texts, in characters. */
  client: 64,
  service: 100,
  datasource: 200,
  titleKey: 300,
  url: 2000,
} as const

/** The latest time that a row may have now, Unix seconds. */
export const latestS = (): number => Date.now() / 1000 + rowLimits.aheadS

/** False for NaN as well. */
export const isPossibleTime = (seconds: number, latest: number): boolean =>
  seconds >= rowLimits.earliestS && seconds <= latest

const isCount = (value: number, max: number): boolean =>
  Number.isSafeInteger(value) && value >= 0 && value <= max

const limitedTexts = ['client', 'service', 'datasource', 'titleKey'] as const

/** Why a row is refused; see `faultOfRow`. */
export type RowFault = 'missing' | 'time' | 'duration' | 'bytes' | 'requests' | 'text'

/** Why the history must not hold a download; null when it may. */
export function faultOfRow(
  row: Record<(typeof limitedTexts)[number], string> &
    Record<'startedAt' | 'endedAt' | 'hitBytes' | 'missBytes' | 'requests', number>,
  latest: number,
): RowFault | null {
  const { startedAt, endedAt } = row
  if (row.client === '' || row.service === '' || row.datasource === '') return 'missing'
  if (!isPossibleTime(startedAt, latest) || !isPossibleTime(endedAt, latest)) return 'time'
  if (endedAt < startedAt || endedAt - startedAt > rowLimits.durationS) return 'duration'
  const { bytes, requests } = rowLimits
  if (!isCount(row.hitBytes, bytes) || !isCount(row.missBytes, bytes)) return 'bytes'
  if (!isCount(row.requests, requests)) return 'requests'
  return limitedTexts.some((name) => row[name].length > rowLimits[name]) ? 'text' : null
}
