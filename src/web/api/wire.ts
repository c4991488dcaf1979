/** Bodies of the contract as far as the dashboard reads them; names exactly as on the wire. */
import type { ClientStats } from '../../api/downloads/stats/model.ts'
import type { GameSpeed, IngestStatus, SpeedSnapshot } from '../../engines/logs/contract.ts'
import type { OperationStatus } from '../../operations/contract.ts'

export type { ClientStats, GameSpeed, IngestStatus, SpeedSnapshot }

export interface AuthStatus {
  isAuthenticated: boolean
  authenticationEnabled: boolean
  sessionType: 'admin' | 'user' | 'guest' | null
  sessionId: string | null
  expiresAt: string | null
  accountId: string | null
  isMainAdmin: boolean
  hasData: boolean
  hasBeenInitialized: boolean
  guestAccessEnabled: boolean
  guestDurationHours: number
}

export interface SetupStatus {
  isCompleted: boolean
  hasProcessedLogs: boolean
  needsPostgresCredentials: boolean
  /** Null while the store cannot be read. */
  accountExists: boolean | null
  mode: string
}

export interface Datasource {
  name: string
  cachePath: string
  logsPath: string
  cacheWritable: boolean
  logsWritable: boolean
  enabled: boolean
}

export interface SystemConfig {
  timeZone: string
  dataPath: string
  dataSources: Datasource[]
}

export interface CacheInfo {
  totalCacheSize: number
  configuredCacheSize: number
  driveCapacity: number
  usedCacheSize: number
  freeCacheSize: number
  usagePercent: number
  hasCacheScan: boolean
  cacheScanTotalBytes: number
  /** `ok`, or why its disk has no figures. */
  driveState: string
}

export interface ServiceStats {
  service: string
  totalCacheHitBytes: number
  totalCacheMissBytes: number
  totalBytes: number
  cacheHitPercent: number
  totalDownloads: number
  lastActivityUtc: string
}

export interface PeriodStats {
  duration: string
  bandwidthSaved: number
  addedToCache: number
  totalServed: number
  hitRatio: number
  downloads: number
}

export interface DashboardStats {
  totalBandwidthSaved: number
  totalAddedToCache: number
  totalServed: number
  activeDownloads: number
  uniqueClients: number
  period: PeriodStats
}

export interface Sparklines {
  bandwidthSaved: { data: number[] }
  addedToCache: { data: number[] }
  bucketMinutes: number
  /** Unix seconds. */
  bucketStarts: number[]
}

export interface HourActivity {
  hour: number
  downloads: number
  avgDownloads: number
  bytesServed: number
  avgBytesServed: number
  cacheHitBytes: number
  cacheMissBytes: number
}

export interface HourlyActivity {
  hours: HourActivity[]
  peakHour: number
  totalBytesServed: number
  daysInPeriod: number
  timeZone: string
}

export interface CacheSnapshot {
  hasData: boolean
  startUsedSize: number
  endUsedSize: number
  isEstimate: boolean
}

/** The sections the overview reads; null where one could not be computed. */
export interface Batch {
  cache?: CacheInfo | null
  clients?: ClientStats[] | null
  clientsTotal?: number
  services?: ServiceStats[] | null
  dashboard?: DashboardStats | null
  sparklines?: Sparklines | null
  hourlyActivity?: HourlyActivity | null
  cacheSnapshot?: CacheSnapshot | null
}

export interface DownloadRow {
  id: string
  startTimeUtc: string
  endTimeUtc: string
  depotId: number | null
  appName: string
  service: string
  datasource: string
  clientIp: string
  averageBytesPerSecond: number
  cacheHitBytes: number
  cacheMissBytes: number
  cacheHitPercent: number
  totalBytes: number
  requestCount: number
  downloadIds: number[]
  clientIps: string[]
  isEvicted: boolean
}

export interface DownloadPage {
  items: DownloadRow[]
  totalItems: number
  totalPages: number
  currentPage: number
  pageSize: number
}

export interface Download {
  id: number
  service: string
  clientIp: string
  startTimeUtc: string
  endTimeUtc: string | null
  cacheHitBytes: number
  cacheMissBytes: number
  totalBytes: number
  cacheHitPercent: number
  averageBytesPerSecond: number
  isActive: boolean
  isEvicted: boolean
  gameName: string | null
  gameAppId: number | null
  betaAppId: string | null
  depotId: number | null
  lastUrl: string | null
  datasource: string
}

export interface DownloadDetail {
  download: Download
  events: { id: number; name: string; colorIndex: number }[]
}

export interface SourceState {
  name: string
  logPath: string
  problem: string
  message: string | null
  backlogBytes: number
}

/** Of `GET /api/ext/status`. */
export interface ServiceStatus {
  version: string
  isHealthy: boolean
  ingest: Omit<IngestStatus, 'state'> & { state: string }
  history: { mode: string; state: string; message: string | null }
  datasources: SourceState[]
}

export interface Operation {
  id: string
  type: string
  scope: string
  /** In English; pages show `operationName`. */
  name: string
  nameKey: string | null
  nameContext: Record<string, string | number> | null
  status: OperationStatus
  percentComplete: number
  stageKey: string | null
  context: Record<string, unknown> | null
  message: string | null
  error: string | null
  isSilent: boolean
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

/** One that waits, and what for. */
export type ParkedOperation = Operation & {
  blockedBy: Pick<Operation, 'name' | 'nameKey' | 'nameContext'> | null
}

/** Of `GET /api/ext/operations`. */
export interface OperationsOverview {
  running: Operation[]
  waiting: ParkedOperation[]
  recent: Operation[]
}
