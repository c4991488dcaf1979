export const units = [
  'bytes',
  'count',
  'ratio',
  'percent',
  'bytesPerSecond',
  'instant',
  'seconds',
  'days',
  'bytesPerDay',
  'name',
] as const

/** `asked`: the range or event of the question; `allTime`, `now`: whatever was asked. */
export const ranges = ['asked', 'allTime', 'now'] as const

/** What a figure is about: a page of the dashboard whose code computes it. */
export const origins = [
  'dashboard',
  'speeds',
  'downloads',
  'client',
  'game',
  'service',
  'download',
  'cache',
  'forecast',
  'detection',
] as const
type Origin = (typeof origins)[number]

export interface NumberRule {
  unit: (typeof units)[number]
  formula: string
  /** Where it is read from. */
  source: string
  range: (typeof ranges)[number]
  /** `counted`: without clients that are left out; `shown`: only without hidden ones. */
  clients: 'counted' | 'shown'
  /** Which rows are shown as examples. */
  rows: 'downloads' | 'active' | 'clients' | 'games' | 'services' | 'speeds' | 'none'
}

const traffic = 'Traffic of five minutes, hours and days in the history'
const downloads = 'Downloads in the history'
const engine = 'The log engine: requests of the last two seconds'
const groups = 'Sums of downloads by title, client and service in the history'
const drive = 'The file system of the cache of the first datasource'
const sizes = 'Sizes of the cache as they were measured every hour, of the last 30 days'
const index = 'The index of cached files and the last detection of games'
const hit = 'sum of bytes served from the cache'
const miss = 'sum of bytes fetched from the internet and added to the cache'
const mean = 'mean speed of its downloads that took time, weighted by their bytes'
const first = 'start of its first download'
const last = 'last byte of its latest download'
const people = 'different client addresses with downloads of it'
const share = 'bytes from the cache ÷ all bytes served; 0 when nothing was served'
const period = { source: traffic, range: 'asked', clients: 'counted', rows: 'downloads' } as const
const ever = { ...period, range: 'allTime' } as const
const moment = { source: engine, range: 'now', clients: 'shown', rows: 'speeds' } as const
const own = { source: groups, range: 'allTime', clients: 'shown', rows: 'downloads' } as const
const narrow = { ...own, source: traffic, range: 'asked' } as const
const part = { ...own, clients: 'counted' } as const
const line = {
  source: 'Its row in the history',
  range: 'now',
  clients: 'shown',
  rows: 'downloads',
} as const
const future = { source: sizes, range: 'now', clients: 'shown', rows: 'none' } as const
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
    formula: mean,
    ...own,
  },
  'client.firstSeenUtc': { unit: 'instant', formula: first, ...own },
  'client.lastSeenUtc': { unit: 'instant', formula: last, ...own },
  'client.period.totalBytes': { unit: 'bytes', formula: 'hit + miss', ...narrow },
  'client.period.totalDownloads': {
    unit: 'count',
    formula: 'downloads that began in the range',
    ...narrow,
  },
  'client.period.cacheHitPercent': { unit: 'percent', formula: share, ...narrow },
  'game.servedBytes': { unit: 'bytes', formula: 'hit + miss', ...part },
  'game.hitBytes': { unit: 'bytes', formula: hit, ...part },
  'game.missBytes': { unit: 'bytes', formula: miss, ...part },
  'game.cacheHitRatio': { unit: 'ratio', formula: share, ...part },
  'game.downloads': { unit: 'count', formula: 'downloads of this game', ...part },
  'game.clients': { unit: 'count', formula: people, ...part, rows: 'clients' },
  'game.averageBytesPerSecond': { unit: 'bytesPerSecond', formula: mean, ...part },
  'game.firstSeenUtc': { unit: 'instant', formula: first, ...part },
  'game.lastSeenUtc': { unit: 'instant', formula: last, ...part },
  'game.evictedDownloads': {
    unit: 'count',
    formula: 'downloads of it whose files are no longer in the cache',
    ...part,
    rows: 'none',
  },
  'service.servedBytes': { unit: 'bytes', formula: 'hit + miss', ...part },
  'service.hitBytes': { unit: 'bytes', formula: hit, ...part },
  'service.missBytes': { unit: 'bytes', formula: miss, ...part },
  'service.cacheHitRatio': { unit: 'ratio', formula: share, ...part },
  'service.downloads': {
    unit: 'count',
    formula: 'downloads of this service, under all of its names',
    ...part,
  },
  'service.clients': { unit: 'count', formula: people, ...part, rows: 'clients' },
  'service.games': {
    unit: 'count',
    formula: 'different games that have a name',
    ...part,
    rows: 'games',
  },
  'service.averageBytesPerSecond': { unit: 'bytesPerSecond', formula: mean, ...part },
  'service.firstSeenUtc': { unit: 'instant', formula: first, ...part },
  'service.lastSeenUtc': { unit: 'instant', formula: last, ...part },
  'download.totalBytes': { unit: 'bytes', formula: 'hit + miss', ...line },
  'download.cacheHitBytes': { unit: 'bytes', formula: hit, ...line },
  'download.cacheMissBytes': { unit: 'bytes', formula: miss, ...line },
  'download.cacheHitPercent': { unit: 'percent', formula: share, ...line },
  'download.durationSeconds': { unit: 'seconds', formula: 'last byte − first byte', ...line },
  'download.averageBytesPerSecond': {
    unit: 'bytesPerSecond',
    formula: 'its bytes ÷ its seconds; 0 when it took no time',
    ...line,
  },
  'cache.usedCacheSize': { unit: 'bytes', formula: 'capacity − free', ...disk },
  'cache.freeCacheSize': { unit: 'bytes', formula: 'blocks that others may use', ...disk },
  'cache.totalCacheSize': { unit: 'bytes', formula: 'all blocks of the file system', ...disk },
  'cache.usagePercent': { unit: 'percent', formula: 'used ÷ capacity', ...disk },
  'forecast.roomBytes': {
    unit: 'bytes',
    formula: 'the smaller of limit − used and what is free on the disk',
    ...disk,
  },
  'forecast.growthBytesPerDay': {
    unit: 'bytesPerDay',
    formula: 'median of the slopes between all pairs of sizes since the last clean-up',
    ...future,
  },
  'forecast.daysUntilFull': {
    unit: 'days',
    formula: 'room left ÷ growth a day; 0 when less than 0.5 % of the whole is left',
    ...future,
  },
  'detection.totalGamesDetected': {
    unit: 'count',
    formula: 'games of the last detection that have files in the cache',
    source: index,
    range: 'now',
    clients: 'shown',
    rows: 'none',
  },
} as const satisfies Record<`${Origin}.${string}`, NumberRule>

export type NumberName = keyof typeof numberRules

// The keys of the table are its names.
export const numberNames = Object.keys(numberRules) as NumberName[]
