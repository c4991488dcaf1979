import type { Deps } from '../../../deps.ts'
import type { Games } from '../../cache/games/service.ts'
import { cacheInfo } from '../../cache/info/service.ts'
import type { Downloads } from '../downloads/service.ts'
import { shownSpeeds } from '../exclusions/speeds.ts'
import { createGameReport } from '../games/service.ts'
import { clientReport, serviceReport } from '../games/share-reports.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { Snapshots } from '../snapshots/service.ts'
import type { Stats } from '../stats/service.ts'
import { originOf, type About } from './about.ts'
import type { NumberName } from './catalogue.ts'
import { ofClientShare, ofDownload, ofGameShare } from './examples.ts'
import type { ExampleRow } from './model.ts'

export interface Parts {
  deps: Deps
  reports: Reports
  stats: Stats
  downloads: Downloads
  snapshots: Snapshots
  games: Games
}

/** What the page of a figure is told, and the rows in it that make up some of its figures. */
export interface Answer {
  value: unknown
  clients?: ExampleRow[]
  games?: ExampleRow[]
  downloads?: ExampleRow[]
}

/** Addresses that the page of a client asks for to find its own row. */
const addressesMax = 1000
const hasNames = false

async function ofClient(parts: Parts, client: string, scope: Scope): Promise<Answer> {
  const { deps, reports, stats } = parts
  const query = { limit: addressesMax, mergeGroups: false, includeExcluded: true, hasNames }
  // Refuses whom the report refuses: hidden and unknown clients have no page.
  const ever = { ...scope, period: allTime, eventId: null }
  const report = await clientReport({ deps, reports }, client, { scope: ever, hasNames })
  const { rows } = await stats.clients(scope, query)
  const own = rows.find(({ clientIp }) => clientIp === client)
  const none = { totalBytes: 0, totalDownloads: 0, cacheHitPercent: 0 }
  return { value: { ...report, ...report.totals, period: own ?? none } }
}

/** The answer of the endpoint that shows the number: the same code, so the same value. */
async function answerAbout(parts: Parts, about: About, asked: Scope): Promise<Answer | null> {
  const { deps, reports, downloads } = parts
  // Reports about one thing are over all time.
  const scope = { ...asked, period: allTime, eventId: null }
  if (about.kind === 'client') return ofClient(parts, about.client, asked)
  if (about.kind === 'game') {
    const report = await createGameReport(deps, reports)(about.key, scope, hasNames)
    const clients = report.topClients.map(ofClientShare)
    return { value: { ...report, ...report.totals }, clients }
  }
  if (about.kind === 'service') {
    const report = await serviceReport({ deps, reports }, about.service, { scope, hasNames })
    return {
      value: { ...report, ...report.totals },
      clients: report.topClients.map(ofClientShare),
      games: report.topGames.map(ofGameShare),
    }
  }
  if (about.kind === 'download') {
    const { download } = await downloads.one(about.id)
    return { value: download, downloads: [ofDownload(download)] }
  }
  return null
}

/** As `answerAbout`, for figures that are about no single thing. */
async function answerOfAll(parts: Parts, name: NumberName, scope: Scope): Promise<unknown> {
  const { deps, stats, downloads, snapshots, games } = parts
  const origin = originOf(name)
  if (origin === 'dashboard') return stats.dashboard(scope)
  if (origin === 'cache') return cacheInfo(deps)
  if (origin === 'forecast') return snapshots.forecast()
  if (origin === 'detection') return games.summary()
  if (origin === 'downloads') {
    return downloads.retro({
      StartTime: scope.period.start ?? undefined,
      EndTime: scope.period.end ?? undefined,
      EventId: scope.eventId ?? undefined,
      includePrefill: scope.includePrefill,
    })
  }
  const speeds = shownSpeeds(deps.state, deps.logs.speeds())
  const { totalBytesPerSecond, gameSpeeds, clientSpeeds } = speeds
  const [activeGames, activeClients] = [gameSpeeds.length, clientSpeeds.length]
  return { totalBytesPerSecond, activeGames, activeClients }
}

export async function answerOf(
  parts: Parts,
  name: NumberName,
  { about, scope }: { about: About; scope: Scope },
): Promise<Answer> {
  const answer = await answerAbout(parts, about, scope)
  return answer ?? { value: await answerOfAll(parts, name, scope) }
}
