/*
 * Widgets and MQTT share one reading of five seconds (`widgets/figures.ts`), however often they
 * are asked. The addresses of widgets are where other programs expect them, outside of `/api/ext`.
 */
import { cacheInfo } from '../../cache/contract.ts'
import { shownSpeeds } from '../../clients/contract.ts'
import { nextRun } from '../../core/schedules/custom.ts'
import { keep } from '../../core/lib/kept.ts'
import { scopeOf } from '../../downloads/contract.ts'
import type { SystemParts } from '../parts.ts'
import { troubles } from '../status/troubles.ts'
import type { WidgetClient, WidgetSummary } from './model.ts'

/** Answers are shared for this long, however many widgets ask. */
const keptMs = 5000
const clientsMax = 10
const hourMs = 3_600_000

type Parts = Pick<
  SystemParts,
  | 'cache'
  | 'clock'
  | 'config'
  | 'disk'
  | 'history'
  | 'log'
  | 'logs'
  | 'nodeHosts'
  | 'nodes'
  | 'settings'
  | 'snapshots'
  | 'state'
  | 'stats'
>

/** The last midnight in a zone, in Unix seconds. */
export function dayStart(now: Date, timeZoneId: string): number {
  const midnight = { expression: '0 0 * * *', timeZoneId }
  // Longer than the longest day.
  let start = new Date(now.getTime() - 26 * hourMs)
  for (;;) {
    const next = nextRun(midnight, start)
    if (next === null || next > now) return start.getTime() / 1000
    start = next
  }
}

type Traffic = Pick<
  WidgetSummary,
  | 'totalServedBytes'
  | 'totalSavedBytes'
  | 'totalDownloadedBytes'
  | 'hitPercent'
  | 'todayServedBytes'
  | 'todaySavedBytes'
  | 'activeDownloads'
  | 'daysUntilFull'
>

const noTraffic: Traffic = {
  totalServedBytes: null,
  totalSavedBytes: null,
  totalDownloadedBytes: null,
  hitPercent: null,
  todayServedBytes: null,
  todaySavedBytes: null,
  activeDownloads: null,
  daysUntilFull: null,
}

const today = ({ clock, config }: Parts) =>
  scopeOf({ startTime: dayStart(clock.now(), config.timeZone) })

/** What the history knows; nulls while it is away. */
async function traffic(parts: Parts): Promise<Traffic> {
  const { stats, snapshots } = parts
  const [all, { daysUntilFull }] = await Promise.all([
    stats.dashboard(today(parts)),
    snapshots.forecast(),
  ])
  return {
    totalServedBytes: all.totalServed,
    totalSavedBytes: all.totalBandwidthSaved,
    totalDownloadedBytes: all.totalAddedToCache,
    hitPercent: Math.round(all.cacheHitRatio * 1000) / 10,
    todayServedBytes: all.period.totalServed,
    todaySavedBytes: all.period.bandwidthSaved,
    activeDownloads: all.activeDownloads,
    daysUntilFull,
  }
}

async function read(parts: Parts): Promise<WidgetSummary> {
  const { clock, log, logs, state } = parts
  const [known, cache, problems] = await Promise.all([
    traffic(parts).catch((error: unknown) => {
      log.debug({ err: error }, 'the figures of widgets are not available')
      return noTraffic
    }),
    cacheInfo(parts),
    troubles(parts),
  ])
  const isDiskKnown = cache.driveState === 'ok'
  return {
    ...known,
    bytesPerSecond: Math.round(shownSpeeds(state, logs.speeds()).totalBytesPerSecond),
    cacheTotalBytes: isDiskKnown ? cache.totalCacheSize : null,
    cacheUsedBytes: isDiskKnown ? cache.usedCacheSize : null,
    cacheFreeBytes: isDiskKnown ? cache.freeCacheSize : null,
    problems: problems.length,
    updatedAtUtc: clock.now().toISOString(),
  }
}

/** Clients of today with the most bytes; hidden ones are left out. */
async function readClients(parts: Parts): Promise<WidgetClient[]> {
  const { rows } = await parts.stats.clients(today(parts), { limit: clientsMax, hasNames: true })
  return rows.map(({ clientIp, displayName, totalBytes, totalCacheHitBytes }) => ({
    address: clientIp,
    name: displayName ?? null,
    servedBytes: totalBytes,
    savedBytes: totalCacheHitBytes,
  }))
}

/** The figures of widgets and of MQTT. */
export const createFigures = (parts: Parts) => ({
  summary: keep(parts.clock, keptMs, () => read(parts)).read,
  /** Throws HistoryUnavailable. */
  clients: keep(parts.clock, keptMs, () => readClients(parts)).read,
})

export type Figures = ReturnType<typeof createFigures>
