import type { Range } from '../app/range.ts'
import type { Key } from '../locales/translate.ts'

export interface Explanation {
  formula: Key
  /** The API call it comes from. */
  source: Key
  /** What it covers: the page's range or event, all time, or the present. */
  scope: 'asked' | 'allTime' | 'now'
  /** What it excludes. */
  leftOut: readonly Key[]
}

const shown = ['explain.prefill', 'explain.hidden'] as const
const counted = [...shown, 'explain.excluded'] as const

const period = { source: 'source.traffic', scope: 'asked', leftOut: counted } as const
const listed = { ...period, source: 'source.listed' } as const
const narrow = { ...period, leftOut: shown } as const
const own = { source: 'source.groups', scope: 'allTime', leftOut: shown } as const
const part = { ...own, leftOut: counted } as const
const now = { scope: 'now', leftOut: [] } as const
const row = { ...now, source: 'source.row' } as const
const disk = { ...now, source: 'source.disk' } as const

/** The dashboard's figures by page and name. Their terms are defined in docs/numbers.md. */
export const explanations = {
  'dashboard.period.bandwidthSaved': { formula: 'formula.hit', ...period },
  'dashboard.period.addedToCache': { formula: 'formula.miss', ...period },
  'dashboard.period.totalServed': { formula: 'formula.served', ...period },
  'dashboard.period.hitRatio': { formula: 'formula.share', ...period },
  'dashboard.period.downloads': { formula: 'formula.downloads', ...period },
  'dashboard.uniqueClients': { formula: 'formula.clients', ...period },
  'speeds.totalBytesPerSecond': {
    formula: 'formula.speed',
    source: 'source.engine',
    scope: 'now',
    leftOut: ['explain.hidden'],
  },
  'summary.servedBytes': { formula: 'formula.served', ...listed },
  'summary.downloads': { formula: 'formula.downloads', ...listed },
  'summary.cacheHitRatio': { formula: 'formula.share', ...listed },
  'summary.clients': { formula: 'formula.clients', ...listed },
  'summary.games': { formula: 'formula.games', ...listed },
  'client.servedBytes': { formula: 'formula.served', ...own },
  'client.cacheHitRatio': { formula: 'formula.share', ...own },
  'client.downloads': { formula: 'formula.ownDownloads', ...own },
  'client.games': { formula: 'formula.games', ...own },
  'client.averageBytesPerSecond': { formula: 'formula.mean', ...own },
  'client.firstSeenUtc': { formula: 'formula.first', ...own },
  'client.lastSeenUtc': { formula: 'formula.last', ...own },
  'client.period.totalBytes': { formula: 'formula.served', ...narrow },
  'client.period.totalDownloads': { formula: 'formula.downloads', ...narrow },
  'client.period.cacheHitPercent': { formula: 'formula.share', ...narrow },
  'game.servedBytes': { formula: 'formula.served', ...part },
  'game.cacheHitRatio': { formula: 'formula.share', ...part },
  'game.downloads': { formula: 'formula.gameDownloads', ...part },
  'game.clients': { formula: 'formula.takers', ...part },
  'game.averageBytesPerSecond': { formula: 'formula.mean', ...part },
  'game.firstSeenUtc': { formula: 'formula.first', ...part },
  'game.lastSeenUtc': { formula: 'formula.last', ...part },
  'game.evictedDownloads': { formula: 'formula.evicted', ...part },
  'service.servedBytes': { formula: 'formula.served', ...part },
  'service.cacheHitRatio': { formula: 'formula.share', ...part },
  'service.downloads': { formula: 'formula.serviceDownloads', ...part },
  'service.clients': { formula: 'formula.takers', ...part },
  'service.games': { formula: 'formula.games', ...part },
  'service.firstSeenUtc': { formula: 'formula.first', ...part },
  'service.lastSeenUtc': { formula: 'formula.last', ...part },
  'download.totalBytes': { formula: 'formula.served', ...row },
  'download.cacheHitBytes': { formula: 'formula.hit', ...row },
  'download.cacheMissBytes': { formula: 'formula.miss', ...row },
  'download.cacheHitPercent': { formula: 'formula.share', ...row },
  'download.durationSeconds': { formula: 'formula.duration', ...row },
  'download.averageBytesPerSecond': { formula: 'formula.ownSpeed', ...row },
  'cache.freeCacheSize': { formula: 'formula.free', ...disk },
  'forecast.roomBytes': { formula: 'formula.room', ...disk },
  'forecast.daysUntilFull': { formula: 'formula.daysLeft', source: 'source.sizes', ...now },
  'detection.totalGamesDetected': {
    formula: 'formula.detected',
    source: 'source.index',
    ...now,
  },
} as const satisfies Record<string, Explanation>

export interface Explained {
  number: keyof typeof explanations
  /** Its name on the page. */
  name: string
  /** Omitted for current figures and those of all time. */
  range?: Range
}

/** Shared by neighbouring figures. */
export type ExplainedOver = Omit<Explained, 'number' | 'name'>
