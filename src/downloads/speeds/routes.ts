import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag, QueryInt } from '../../core/http/schema.ts'
import { shownSpeeds } from '../../clients/contract.ts'
import type { Reports } from '../reports/reports.ts'
import { RecentSpeedSamples, SpeedHistory } from './model.ts'
import { SpeedSnapshot } from '../../engines/logs/wire.ts'
import type { RecentSpeeds } from './recent.ts'
import { speedHistory } from './service.ts'

export const speedRoutes = (deps: DownloadsRouteParts, reports: Reports) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/Speeds')
    .get('/current', () => shownSpeeds(deps.state, deps.logs.speeds()), {
      access: 'session',
      response: { 200: SpeedSnapshot },
      detail: { summary: 'Current download speeds' },
    })
    .get('/history', ({ query }) => speedHistory(deps, reports, query), {
      access: 'session',
      query: t.Object({
        minutes: QueryInt,
        includePrefill: QueryFlag,
      }),
      response: { 200: SpeedHistory, 503: ErrorBody },
      detail: { summary: 'Download speed over the recent past' },
    })

/** What the dashboard's live chart begins with. */
export const recentSpeedRoutes = (deps: DownloadsRouteParts, recent: RecentSpeeds) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext/speeds').get(
    '/recent',
    () => ({ items: recent.since(deps.clock.now()) }),
    {
      access: 'session',
      response: { 200: RecentSpeedSamples },
      detail: { summary: 'Download speeds of the last five minutes, split by origin' },
    },
  )
