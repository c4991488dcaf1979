import { awayMember } from '../../engines/remote/wire.ts'
import { startedJob } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  Model,
  Nullable,
  OperationStatus,
  Percent,
  Text,
  Utc,
} from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/** A row of the list; members in the spelling that scripts know. */
export const DetectedGame = Model('DetectedGame', {
  game_app_id: Int,
  game_name: Text,
  cache_files_found: Int,
  total_size_bytes: Int,
  /** When its newest cache file was stored; null without files. */
  last_stored_at: Nullable(Utc),
  depot_ids: Type.Array(Int),
  sample_urls: Type.Array(Text),
  /** Files of the sample addresses; for all see `GET /api/ext/games/files`. */
  cache_file_paths: Type.Array(Text),
  datasources: Type.Array(Text),
  service: Nullable(Text),
  image_url: Nullable(Text),
  beta_app_id: Nullable(Text),
  is_evicted: Flag,
  evicted_downloads_count: Int,
  evicted_bytes: Int,
  evicted_sample_urls: Type.Array(Text),
  evicted_depot_ids: Type.Array(Int),
})
export type DetectedGame = Static<typeof DetectedGame>

export const DetectedService = Model('DetectedService', {
  service_name: Text,
  cache_files_found: Int,
  total_size_bytes: Int,
  last_stored_at: Nullable(Utc),
  sample_urls: Type.Array(Text),
  cache_file_paths: Type.Array(Text),
  datasources: Type.Array(Text),
  is_evicted: Flag,
  evicted_downloads_count: Int,
  evicted_bytes: Int,
  evicted_sample_urls: Type.Array(Text),
})
export type DetectedService = Static<typeof DetectedService>

const totals = {
  hasCachedResults: Flag,
  totalGamesDetected: Int,
  totalServicesDetected: Int,
  lastDetectionTime: Nullable(Text),
  games_on_disk_bytes: Int,
  games_on_disk_count: Int,
  identified_cache_bytes: Int,
  identified_service_bytes: Int,
  detection_summary_computed_at: Nullable(Text),
  detection_stale: Flag,
}

export const CachedDetection = Model('CachedDetection', {
  ...totals,
  games: Type.Array(DetectedGame),
  services: Type.Array(DetectedService),
  ...awayMember,
})
export type CachedDetection = Static<typeof CachedDetection>

const slimGame = Type.Pick(
  DetectedGame,
  [
    'game_app_id',
    'game_name',
    'cache_files_found',
    'total_size_bytes',
    'service',
    'image_url',
    'beta_app_id',
    'is_evicted',
    'evicted_downloads_count',
  ],
  { title: 'SlimGame' },
)
const slimService = Type.Pick(
  DetectedService,
  [
    'service_name',
    'cache_files_found',
    'total_size_bytes',
    'is_evicted',
    'evicted_downloads_count',
  ],
  { title: 'SlimService' },
)

/** What the dashboard shows: the same without addresses and paths. */
export const SlimDetection = Model('SlimDetection', {
  ...totals,
  games: Type.Array(slimGame),
  services: Type.Array(slimService),
})
export type SlimDetection = Static<typeof SlimDetection>

export const DetectionStarted = Type.Object(startedJob)
export type DetectionStarted = Static<typeof DetectionStarted>

const DetectionOperation = Model('DetectionOperation', {
  operationId: Text,
  startTime: Nullable(Text),
  status: OperationStatus,
  message: Nullable(Text),
  statusMessage: Nullable(Text),
  percentComplete: Percent,
  scanType: stringUnion(['incremental', 'full']),
  totalGamesDetected: Int,
  totalServicesDetected: Int,
  error: Nullable(Text),
  showNotification: Flag,
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
})

export const ActiveDetection = Type.Object({
  isProcessing: Flag,
  operation: Nullable(DetectionOperation),
  showNotification: Flag,
})
export type ActiveDetection = Static<typeof ActiveDetection>

/** A title of the history or the cache that no catalogue knows. */
export const UnnamedTitle = Model('UnnamedTitle', {
  titleKey: Text,
  service: Text,
  /** Current name; null when only its key is known. */
  gameName: Nullable(Text),
  isNamedByHand: Flag,
  /** In the cache. */
  files: Int,
  bytes: Int,
  /** Without prefill and hidden clients, as in every list. */
  downloads: Int,
  servedBytes: Int,
  sampleUris: Type.Array(Text),
})
export type UnnamedTitle = Static<typeof UnnamedTitle>

export const NameGiven = Type.Object({ titleKey: Text, gameName: Nullable(Text) })

export const GameFiles = Type.Object({
  paths: Type.Array(Text),
  /** Total number of this game's files, also when the list is cut. */
  totalFiles: Int,
})
