import type { SharedPage } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import {
  allTime,
  type CalendarEvent,
  eventBefore,
  filledBuckets,
  findEvent,
  finestMinutes,
  grainSeconds,
  ratio,
  type Scope,
  suitableMinutes,
  utc,
  widerBuckets,
} from '../../downloads/contract.ts'
import type { DashboardParts } from '../parts.ts'
import type { SparkPoint } from '../sparklines.ts'
import { bucketSums } from '../store.ts'
import type { EventFigures, EventReport } from './model.ts'

/** Devices and games in their lists. */
const topMax = 10
/** Steps in which traffic is read, each with the days up to which it applies. */
const steps = [
  { minutes: 1, days: 14 },
  { minutes: 5, days: 92 },
] as const
const widestMinutes = 60

const stepOf = (seconds: number): number =>
  steps.find(({ days }) => seconds <= days * grainSeconds.day)?.minutes ?? widestMinutes

type Sums = Pick<SparkPoint, 'hitBytes' | 'missBytes'>

const bytesOf = ({ hitBytes, missBytes }: Sums) => ({
  hitBytes,
  missBytes,
  servedBytes: hitBytes + missBytes,
})

const seconds = (text: string): number => Date.parse(text) / 1000

/** The downloads with an event's tag, as on its page. */
const taggedWith = ({ id }: CalendarEvent): Scope => ({
  period: allTime,
  eventId: id,
  includePrefill: false,
  without: [],
})

interface Traffic {
  start: number
  end: number
  /** Width of the points. */
  minutes: number
  points: readonly SparkPoint[]
}

/** Traffic while an event lasts, in its finest steps, oldest first. */
async function trafficOf({ reports }: DashboardParts, event: CalendarEvent): Promise<Traffic> {
  const { readList, cached, counted } = reports
  const [start, end] = [seconds(event.startTimeUtc), seconds(event.endTimeUtc)]
  const period = { start, end }
  const scope = counted({ period, eventId: null, includePrefill: false, without: [] })
  const minutes = finestMinutes(scope, start, stepOf(end - start))
  const points = await cached('event traffic', scope, () =>
    readList((sql) => bucketSums(sql, scope, minutes)),
  )
  return { start, end, minutes, points }
}

/** The step with the most bytes, the first of equal ones. */
function busiestOf({ minutes, points }: Traffic): EventFigures['busiest'] {
  const served = points.map(({ hitBytes, missBytes }) => hitBytes + missBytes)
  const most = Math.max(0, ...served)
  const point = points[served.indexOf(most)]
  if (most === 0 || point === undefined) return null
  return { startTimeUtc: utc(point.at), minutes, ...bytesOf(point) }
}

/** The traffic as a line without gaps, up to the end of the event or to now. */
function lineOf({ start, end, minutes, points }: Traffic, now: Date) {
  const bucketMinutes = suitableMinutes(end - start, minutes)
  const width = bucketMinutes * 60
  const wide = widerBuckets(points, width)
  const bucketAt = (at: number) => Math.floor(at / width) * width
  const reached = Math.min(end, Math.floor(now.getTime() / 1000))
  const first = Math.min(bucketAt(start), wide[0]?.at ?? Number.POSITIVE_INFINITY)
  const last = Math.max(bucketAt(reached), wide.at(-1)?.at ?? 0)
  const filled = filledBuckets(wide, { first, last, seconds: width })
  const series = filled.map((point) => ({ startTimeUtc: utc(point.at), ...bytesOf(point) }))
  return { bucketMinutes, series }
}

/** An event's figures and what they were made of. */
async function figuresOf(deps: DashboardParts, event: CalendarEvent) {
  const [{ period, uniqueClients }, { games, topGames }, traffic] = await Promise.all([
    deps.stats.dashboard(taggedWith(event)),
    deps.summary({ EventId: event.id }, false),
    trafficOf(deps, event),
  ])
  const { bandwidthSaved, addedToCache, downloads } = period
  const bytes = bytesOf({ hitBytes: bandwidthSaved, missBytes: addedToCache })
  const { id, name, startTimeUtc, endTimeUtc, startTimeLocal, endTimeLocal } = event
  const figures: EventFigures = {
    id,
    name,
    startTimeUtc,
    endTimeUtc,
    startTimeLocal,
    endTimeLocal,
    totals: {
      ...bytes,
      cacheHitRatio: ratio(bytes.hitBytes, bytes.servedBytes),
      downloads,
      clients: uniqueClients,
      games,
    },
    busiest: busiestOf(traffic),
  }
  return { figures, topGames, traffic }
}

interface Reader {
  /** May see host names. */
  hasNames: boolean
  /** The reader has no account: devices have no address, and a name only where the link allows it. */
  link?: SharedPage | undefined
}

async function devicesOf(deps: DashboardParts, event: CalendarEvent, { hasNames, link }: Reader) {
  // Where the host allows names, they are looked up as for an account.
  const isNamed = link === undefined ? hasNames : deps.names.isShownTo({ role: 'user' })
  const { rows } = await deps.stats.clients(taggedWith(event), { limit: topMax, hasNames: isNamed })
  return rows.map((row) => ({
    name: link === undefined || link.showsNames ? row.displayName : null,
    address: link === undefined ? row.clientIp : null,
    ...bytesOf({ hitBytes: row.totalCacheHitBytes, missBytes: row.totalCacheMissBytes }),
    downloads: row.totalDownloads,
  }))
}

/** The report of an event: what its page shows, for print and for people without an account. */
export const createEventReport =
  (deps: DashboardParts) =>
  async (id: number, reader: Reader): Promise<EventReport> => {
    const { clock, reports, settings } = deps
    const event = await reports.read((sql) => findEvent(sql, id))
    if (event === null) throw new AppError('notFound', 'Event not found')
    const before = await reports.read((sql) => eventBefore(sql, event))
    const [{ figures, topGames, traffic }, topDevices, previous] = await Promise.all([
      figuresOf(deps, event),
      devicesOf(deps, event, reader),
      before === null ? null : figuresOf(deps, before),
    ])
    const now = clock.now()
    return {
      ...figures,
      colorIndex: event.colorIndex,
      ...lineOf(traffic, now),
      topGames: topGames.map(({ service, gameId, gameName, downloads, ...game }) => ({
        service,
        gameId,
        gameName,
        ...bytesOf(game),
        downloads,
      })),
      topDevices,
      previous: previous?.figures ?? null,
      savings: settings.get('overview.savings'),
      createdAtUtc: now.toISOString(),
    }
  }
