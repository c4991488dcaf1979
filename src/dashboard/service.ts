/*
 * The one answer behind the overview page. Lists of the batch are objects. The contract types
 * every section of the batch as an object, so lists are `{items, …}`; a section that failed is
 * present, empty, and named in `failedSections`.
 */
import { HistoryUnavailable } from '../../db/history/history.ts'
import type { DashboardParts } from './parts.ts'
import { otherService } from '../engines/logs/lines/service-label.ts'
import { cacheInfo, emptyCacheInfo, noDetection, noSnapshot } from '../cache/contract.ts'
import {
  changedBlocks,
  dashboardDownloadsMax,
  emptyDashboard,
  finestMinutes,
  hasWholeHours,
  hourBlockSeconds,
  suitableMinutes,
  type Scope,
} from '../downloads/contract.ts'
import { hourlyActivityOf } from './hourly.ts'
import type { DashboardBatch, SectionName } from './model.ts'
import { emptySparklines, sparklinesOf } from './sparklines.ts'
import { bucketSums, hourOfDaySums, peakMinutesOf } from './store.ts'

/** Clients in the dashboard's list. */
const clientsMax = 100

/** Sections that only the dashboard has. */
function createSections({ config, clock, stats, reports }: DashboardParts) {
  const { read, cached, counted } = reports
  const { timeZone } = config
  const nowSeconds = () => clock.now().getTime() / 1000
  return {
    sparklines: (asked: Scope) => {
      const scope = counted(asked)
      return cached('sparklines', scope, async () => {
        const now = nowSeconds()
        const span = await stats.extent(asked)
        if (span === null) return emptySparklines(scope.period)
        const bucketMinutes = suitableMinutes(
          span.last - span.first,
          finestMinutes(scope, span.first, 1),
        )
        const points = await read((sql) => bucketSums(sql, scope, bucketMinutes))
        const peakMinutes = peakMinutesOf(bucketMinutes, scope)
        return sparklinesOf(points, { period: scope.period, now, bucketMinutes, peakMinutes })
      })
    },

    hourlyActivity: (asked: Scope) => {
      const scope = counted(asked)
      return cached('hourly', scope, async () => {
        const zone = {
          timeZone,
          isWholeHours: hasWholeHours(timeZone, clock.now()),
          changedBlocks: changedBlocks(timeZone, nowSeconds() + hourBlockSeconds),
        }
        const [span, sums] = await Promise.all([
          stats.extent(asked),
          read((sql) => hourOfDaySums(sql, scope, zone)),
        ])
        const { period } = scope
        return hourlyActivityOf(sums, { period, extent: span, now: nowSeconds(), timeZone })
      })
    },

    emptyHours: ({ period }: Scope) =>
      hourlyActivityOf([], { period, extent: null, now: nowSeconds(), timeZone }),
  }
}

/** All dashboard sections. */
export function createDashboard(deps: DashboardParts) {
  const { clock, log, reports, stats, downloads, snapshots, games } = deps
  const { sparklines, hourlyActivity, emptyHours } = createSections(deps)

  /**
   * Computes all sections in parallel. A failed one is empty and named in `failedSections`, so that
   * the dashboard shows the rest while the history is away.
   */
  async function batch(scope: Scope, hasNames: boolean): Promise<DashboardBatch> {
    await reports.checkEvent(scope.eventId).catch(ignoreOutage)
    const failedSections: SectionName[] = []
    const section = <T>(name: SectionName, value: Promise<T>, empty: T): Promise<T> =>
      value.catch((error: unknown) => {
        log.debug({ err: error, section: name }, 'a section of the dashboard failed')
        failedSections.push(name)
        return empty
      })
    const { period } = scope
    const sections = await Promise.all([
      section('cache', cacheInfo(deps), emptyCacheInfo),
      section('clients', stats.clients(scope, { limit: clientsMax, hasNames }), {
        rows: [],
        clients: 0,
      }),
      section('services', stats.foldedServices(scope), []),
      section('dashboard', stats.dashboard(scope), emptyDashboard(period, clock.now())),
      section('downloads', downloads.newest(scope), []),
      section('sparklines', sparklines(scope), emptySparklines(period)),
      section('hourlyActivity', hourlyActivity(scope), emptyHours(scope)),
      section('cacheSnapshot', snapshots.period(scope), noSnapshot),
      section('detection', games.summary(), noDetection),
    ])
    return {
      cache: sections[0],
      clients: { items: sections[1].rows, total: sections[1].clients },
      services: { items: sections[2] },
      dashboard: ofPeriod(sections[3]),
      downloads: { items: sections[4], isTruncated: sections[4].length === dashboardDownloadsMax },
      detection: sections[8],
      sparklines: sections[5],
      hourlyActivity: sections[6],
      cacheSnapshot: sections[7],
      failedSections: failedSections.sort(),
    }
  }

  return { batch }
}

/** The top service of the period, as in the list next to it. */
function ofPeriod(stats: DashboardBatch['dashboard']): DashboardBatch['dashboard'] {
  const first = stats.serviceBreakdown.find(
    ({ service, bytes }) => bytes > 0 && service !== otherService,
  )
  return { ...stats, topService: first?.service ?? 'N/A' }
}

/** An unknown event is refused; an unavailable history shows up in the sections. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof HistoryUnavailable)) throw error
}

export type Dashboard = ReturnType<typeof createDashboard>
