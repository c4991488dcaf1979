import { percent, shownSeconds, utc } from '../reports/numbers.ts'

/** A download from the history with its title's names; times in Unix seconds. */
export interface DownloadRow {
  id: number
  service: string
  clientIp: string
  startedAt: number
  endedAt: number
  hitBytes: number
  missBytes: number
  isActive: boolean
  isEvicted: boolean
  isPrefill: boolean
  gameAppId: number | null
  gameName: string | null
  gameImageUrl: string | null
  lastUrl: string
  depotId: number | null
  betaAppId: string | null
  epsilonProductId: string | null
  datasource: string
  titleKey: string | null
}

type Measured = Pick<DownloadRow, 'startedAt' | 'endedAt' | 'hitBytes' | 'missBytes'>

/** A row's times and bytes as in answers and files, with derived values. */
export function measuredRow<Row extends Measured>(row: Row) {
  const { startedAt, endedAt, hitBytes, missBytes, ...rest } = row
  const totalBytes = hitBytes + missBytes
  const durationSeconds = Math.max(0, shownSeconds(endedAt) - shownSeconds(startedAt))
  return {
    ...rest,
    startTimeUtc: utc(startedAt),
    endTimeUtc: utc(endedAt),
    cacheHitBytes: hitBytes,
    cacheMissBytes: missBytes,
    totalBytes,
    cacheHitPercent: percent(hitBytes, totalBytes),
    durationSeconds,
    averageBytesPerSecond: durationSeconds === 0 ? 0 : totalBytes / durationSeconds,
  }
}
