export const units = [
  'bytes',
  'count',
  'ratio',
  'percent',
  'bytesPerSecond',
  'instant',
  'name',
] as const

/** What a figure is about: a page of the dashboard whose code computes it. */
type Origin = 'dashboard' | 'speeds' | 'downloads' | 'client' | 'cache'

export interface NumberRule {
  unit: (typeof units)[number]
  formula: string
  /** Where it is read from. */
  source: string
  /** `asked`: the range or event of the question; `allTime`, `now`: whatever was asked. */
  range: 'asked' | 'allTime' | 'now'
  /** `counted`: without clients that are left out; `shown`: only without hidden ones. */
  clients: 'counted' | 'shown'
  /** Which rows are shown as examples. */
  rows: 'downloads' | 'active' | 'clients' | 'services' | 'speeds' | 'none'
}

const traffic = 'Traffic of five minutes, hours and days in the history'
const downloads = 'Downloads in the history'
const engine = 'The log engine: requests of the last two seconds'
const groups = 'Sums of downloads by title, client and service in the history'
const drive = 'The file system of the cache of the first datasource'
const hit = 'sum of bytes served from the cache'
const miss = 'sum of bytes fetched from the internet and added to the cache'
const share = 'bytes from the cache ÷ all bytes served; 0 when nothing was served'
const period = { source: traffic, range: 'asked', clients: 'counted', rows: 'downloads' } as const
const ever = { ...period, range: 'allTime' } as const
const moment = { source: engine, range: 'now', clients: 'shown', rows: 'speeds' } as const
const own = { source: groups, range: 'allTime', clients: 'shown', rows: 'downloads' } as const
const disk = { source: drive, range: 'now', clients: 'shown', rows: 'none' } as const

/** Every figure that can be explained, as `<page>.<term>`; the terms are those of docs/numbers.md. */
export const numberRules = {
  'dashboard.totalBandwidthSaved': { unit: 'bytes', formula: hit, ...ever },
  'dashboard.totalAddedToCache': { unit: 'bytes', formula: miss, ...ever },
  'dashboard.totalServed': { unit: 'bytes', formula: 'saved + added', ...ever },
  'dashboard.cacheHitRatio': { unit: 'ratio', formula: share, ...ever },
  'dashboard.activeDownloads': {
    unit: 'count',
    formula: 'downloads whose last byte is younger than 15 s',
    source: downloads,
    range: 'now',
    clients: 'counted',
    rows: 'active',
  },
  'dashboard.uniqueClients': {
    unit: 'count',
    formula: 'different client addresses with traffic',
    ...period,
    rows: 'clients',
  },
  'dashboard.topService': {
    unit: 'name',
    formula: 'service with most bytes; names of one service count together',
    ...ever,
    rows: 'services',
  },
  'dashboard.period.bandwidthSaved': { unit: 'bytes', formula: hit, ...period },
  'dashboard.period.addedToCache': { unit: 'bytes', formula: miss, ...period },
  'dashboard.period.totalServed': { unit: 'bytes', formula: 'saved + added', ...period },
  'dashboard.period.hitRatio': { unit: 'ratio', formula: share, ...period },
  'dashboard.period.downloads': {
    unit: 'count',
    formula: 'downloads that began in the range',
    ...period,
  },
  'speeds.totalBytesPerSecond': {
    unit: 'bytesPerSecond',
    formula: 'bytes of the window ÷ its seconds',
    ...moment,
  },
  'speeds.activeGames': { unit: 'count', formula: 'games with requests in the window', ...moment },
  'speeds.activeClients': {
    unit: 'count',
    formula: 'clients with requests in the window',
    ...moment,
  },
  'downloads.totalItems': {
    unit: 'count',
    formula: 'rows of the list: depots per client, and single downloads of titles without depots',
    source: downloads,
    range: 'asked',
    clients: 'shown',
    rows: 'downloads',
  },
  'client.servedBytes': { unit: 'bytes', formula: 'hit + miss', ...own },
  'client.hitBytes': { unit: 'bytes', formula: hit, ...own },
  'client.missBytes': { unit: 'bytes', formula: miss, ...own },
  'client.cacheHitRatio': { unit: 'ratio', formula: share, ...own },
  'client.downloads': { unit: 'count', formula: 'downloads of this client', ...own },
  'client.games': { unit: 'count', formula: 'different games that have a name', ...own },
  'client.averageBytesPerSecond': {
    unit: 'bytesPerSecond',
    formula: 'mean speed of its downloads that took time, weighted by their bytes',
    ...own,
  },
  'client.firstSeenUtc': { unit: 'instant', formula: 'start of its first download', ...own },
  'client.lastSeenUtc': { unit: 'instant', formula: 'last byte of its latest download', ...own },
  'cache.usedCacheSize': { unit: 'bytes', formula: 'capacity − free', ...disk },
  'cache.freeCacheSize': { unit: 'bytes', formula: 'blocks that others may use', ...disk },
  'cache.totalCacheSize': { unit: 'bytes', formula: 'all blocks of the file system', ...disk },
  'cache.usagePercent': { unit: 'percent', formula: 'used ÷ capacity', ...disk },
} as const satisfies Record<`${Origin}.${string}`, NumberRule>

export type NumberName = keyof typeof numberRules

// The keys of the table are its names.
export const numberNames = Object.keys(numberRules) as NumberName[]
