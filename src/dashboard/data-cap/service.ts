/*
 * The volume of a line and what of it the cache has used: everything fetched because of misses, by
 * clients and by prefill. What else the line transfers is unknown here. At the mark, scheduled
 * prefills do not start and running ones pause, until the next month begins or the mark is raised.
 */
import type { DataCapUse } from '../../core/lib/data-cap.ts'
import { scopeOf, serviceSums } from '../../downloads/contract.ts'
import type { DashboardParts } from '../parts.ts'
import type { DataCap, DataCapState } from './model.ts'
import { periodAt } from './period.ts'

/** What was fetched on a month's first day says little about the rest. */
const firstDayMs = 86_400_000

export function createDataCap({ reports, settings, clock, config }: DashboardParts) {
  /** Null: no volume is set. Rejects with HistoryUnavailable. */
  async function read(): Promise<DataCapUse | null> {
    const { capBytes, firstDay, pausePercent } = settings.get('line.dataCap')
    if (capBytes === null) return null
    const period = periodAt(clock.now(), firstDay, config.timeZone)
    const startTime = Math.floor(period.from.getTime() / 1000)
    const scope = scopeOf({ startTime, includePrefill: true })
    const rows = await reports.cached('dataCap', scope, () =>
      reports.read((sql) => serviceSums(sql, scope)),
    )
    const usedBytes = rows.reduce((sum, { missBytes }) => sum + missBytes, 0)
    const isReached = pausePercent !== null && usedBytes >= (capBytes * pausePercent) / 100
    return { ...period, usedBytes, capBytes, pausePercent, isReached }
  }

  function expectedBytes({ from, until, usedBytes }: DataCapUse): number | null {
    const elapsedMs = clock.now().getTime() - from.getTime()
    if (elapsedMs < firstDayMs) return null
    return Math.round((usedBytes * (until.getTime() - from.getTime())) / elapsedMs)
  }

  return {
    read,
    async state(): Promise<DataCapState> {
      const use = await read()
      if (use === null) return { ...settings.get('line.dataCap'), use }
      const { from, until, usedBytes, isReached } = use
      const [fromUtc, untilUtc] = [from.toISOString(), until.toISOString()]
      const facts = { fromUtc, untilUtc, usedBytes, expectedBytes: expectedBytes(use), isReached }
      return { ...settings.get('line.dataCap'), use: facts }
    },
    change(cap: DataCap): DataCap {
      settings.set('line.dataCap', cap)
      return cap
    },
  }
}
export type DataCapService = ReturnType<typeof createDataCap>
