import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Percent, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { scanPhases } from './state.ts'

export const DepotStatus = Type.Object({
  jsonFile: Model('DepotJsonFileStatus', {
    exists: Flag,
    path: Text,
    lastUpdated: Nullable(Utc),
    totalMappings: Int,
    nextUpdateDue: Nullable(Utc),
    /** There are no mappings at all. */
    needsUpdate: Flag,
  }),
  database: Model('DepotDatabaseStatus', { totalMappings: Int }),
  alphaLibrary: Model('DepotAlphaLibraryStatus', {
    isReady: Flag,
    isRebuildRunning: Flag,
    depotCount: Int,
  }),
})
export type DepotStatus = Static<typeof DepotStatus>

/** Whether an incremental crawl is possible. */
export const IncrementalCheck = Type.Object({
  isViable: Flag,
  lastChangeNumber: Int,
  currentChangeNumber: Int,
  changeGap: Int,
  isLargeGap: Flag,
  willTriggerFullScan: Flag,
  estimatedAppsToScan: Int,
  error: Nullable(Text),
})

export type IncrementalCheck = Static<typeof IncrementalCheck>

/** `true`: incremental, `false`: full, `github`: the ready-made list. */
export const CrawlMode = Type.Union([Type.Boolean(), Type.Literal('github')])
export type CrawlMode = Static<typeof CrawlMode>

export const RebuildProgress = Type.Object({
  isProcessing: Flag,
  status: stringUnion(scanPhases),
  statusDisplay: Nullable(Text),
  totalApps: Int,
  processedApps: Int,
  totalBatches: Int,
  processedBatches: Int,
  progressPercent: Percent,
  depotMappingsFound: Int,
  depotMappingsFoundInSession: Int,
  isReady: Flag,
  lastCrawlTime: Nullable(Utc),
  /** Seconds. */
  nextCrawlIn: Num,
  crawlIntervalHours: Num,
  crawlIncrementalMode: CrawlMode,
  lastScanWasForced: Flag,
  automaticScanSkipped: Flag,
  isConnected: Flag,
  isLoggedOn: Flag,
  errorMessage: Nullable(Text),
  isWebApiAvailable: Flag,
  operationId: Nullable(Text),
  showNotification: Flag,
})
export type RebuildProgress = Static<typeof RebuildProgress>

export const RebuildStarted = Type.Object({
  started: Flag,
  requiresFullScan: Flag,
  changeGap: Nullable(Int),
  estimatedApps: Nullable(Int),
  message: Nullable(Text),
  viabilityError: Nullable(Text),
  /** The error for translated pages. */
  stageKey: Nullable(Text),
  context: Nullable(Type.Object({ errorDetail: Text })),
  /** Of the started run. */
  operationId: Nullable(Text),
})
export type RebuildStarted = Static<typeof RebuildStarted>

export const IntervalChanged = Type.Object({ message: Text, intervalHours: Int })
export const ModeChanged = Type.Object({ incrementalMode: CrawlMode, message: Text })
export const Imported = Type.Object({ message: Text, source: Text, timestamp: Utc })
export const NamesApplied = Type.Object({ message: Text, timestamp: Utc })
