import { percent, utc } from '../reports/numbers.ts'

/** A download as it is read from the history, with the names of its title; times in Unix seconds. */
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
}

type Measured = Pick<DownloadRow, 'startedAt' | 'endedAt' | 'hitBytes' | 'missBytes'>

/** Times and bytes of a row as answers and files have them, with what follows from them. */
export function measuredRow<Row extends Measured>(row: Row) {
  const { startedAt, endedAt, hitBytes, missBytes, ...rest } = row
  const totalBytes = hitBytes + missBytes
  const durationSeconds = Math.max(0, endedAt - startedAt)
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
