import type { DownloadsParts } from '../parts.ts'
import { utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf } from '../reports/scope.ts'
import { overlapping } from './store.ts'

const minutesMin = 5
const minutesMax = 1440
const minutesDefault = 60

/** Downloads of the last minutes; the number of minutes is clamped. */
export async function speedHistory(
  { clock }: Pick<DownloadsParts, 'clock'>,
  reports: Reports,
  query: { minutes?: number | undefined; includePrefill?: boolean | undefined },
) {
  const asked = query.minutes ?? minutesDefault
  const periodMinutes = Math.min(minutesMax, Math.max(minutesMin, asked))
  const end = clock.now().getTime() / 1000
  const start = end - periodMinutes * 60
  const scope = reports.counted(scopeOf({ includePrefill: query.includePrefill }))
  const { totalBytes, totalSessions } = await reports.cached(`speeds ${periodMinutes}`, scope, () =>
    reports.read((sql) => overlapping(sql, { start, end, scope })),
  )
  return {
    periodStartUtc: utc(start),
    periodEndUtc: utc(end),
    periodMinutes,
    totalBytes,
    averageBytesPerSecond: totalBytes / (periodMinutes * 60),
    totalSessions,
  }
}
