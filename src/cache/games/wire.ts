import type { EvictedMode } from '../eviction/model.ts'
import { isInCache, type Found } from '../detection/group.ts'
import type { Detected } from '../detection/read.ts'
import type { CachedDetection, DetectedGame, DetectedService, SlimDetection } from './model.ts'

/**
 * Games without a numeric id get one derived from their id, the same that scripts use: the first
 * four bytes (little endian) of its SHA-256 with the highest bit set.
 */
export function betaNumber(betaAppId: string): number {
  const digest = new Bun.CryptoHasher('sha256').update(betaAppId).digest()
  return (digest.readUInt32LE(0) | 0x8000_0000) >>> 0
}

const storedAtOf = ({ lastStoredAt }: Found): string | null =>
  lastStoredAt > 0 ? new Date(lastStoredAt * 1000).toISOString() : null

const evictedOf = (found: Found, mode: EvictedMode): boolean =>
  mode === 'showClean' ? false : found.isEvicted

function gameRow(found: Found, mode: EvictedMode, paths: string[]): DetectedGame {
  const { identity } = found
  const ids = { alpha: 0, beta: 0, named: 0, service: 0 }
  if (identity.kind === 'alpha') ids.alpha = identity.appId
  if (identity.kind === 'beta') ids.beta = betaNumber(identity.betaAppId)
  return {
    game_app_id: ids[identity.kind],
    game_name: identity.kind === 'service' ? identity.service : identity.name,
    cache_files_found: found.files,
    total_size_bytes: found.bytes,
    last_stored_at: storedAtOf(found),
    depot_ids: found.depotIds,
    sample_urls: found.sampleUrls,
    cache_file_paths: paths,
    datasources: found.datasources,
    service: identity.kind === 'beta' ? 'epicgames' : found.service,
    image_url: found.imageUrl,
    beta_app_id: identity.kind === 'beta' ? identity.betaAppId : null,
    is_evicted: evictedOf(found, mode),
    evicted_downloads_count: found.evictedDownloads,
    evicted_bytes: found.evictedBytes,
    evicted_sample_urls: found.evictedUrls,
    evicted_depot_ids: found.evictedDepotIds,
  }
}

const serviceRow = (found: Found, mode: EvictedMode, paths: string[]): DetectedService => ({
  service_name: found.service,
  cache_files_found: found.files,
  total_size_bytes: found.bytes,
  last_stored_at: storedAtOf(found),
  sample_urls: found.sampleUrls,
  cache_file_paths: paths,
  datasources: found.datasources,
  is_evicted: evictedOf(found, mode),
  evicted_downloads_count: found.evictedDownloads,
  evicted_bytes: found.evictedBytes,
  evicted_sample_urls: found.evictedUrls,
})

export interface WireFacts {
  detected: Detected
  mode: EvictedMode
  lastAt: string | null
  isStale: boolean
  /** Paths of the files of a found game's sample addresses. */
  pathsOf: (found: Found) => string[]
}

/** The answer of `GET /api/games/detect/cached`. */
export function detectionAnswer(facts: WireFacts): CachedDetection {
  const { detected, mode, lastAt, isStale, pathsOf } = facts
  const isHiding = mode === 'hide' || mode === 'remove'
  const shown = (list: Found[]) =>
    list
      .filter(({ isEvicted }) => !isHiding || !isEvicted)
      // Before the first detection, and after clearing: only what is known to be evicted.
      .filter(({ isEvicted, files }) => lastAt !== null || (isEvicted && files === 0))
  const games = shown(detected.games)
  const services = shown(detected.services)
  const sum = (list: Found[]) => list.reduce((bytes, found) => bytes + found.bytes, 0)
  const onDisk = games.filter(({ files }) => files > 0)
  return {
    hasCachedResults: lastAt !== null || games.length > 0 || services.length > 0,
    games: games.map((found) => gameRow(found, mode, pathsOf(found))),
    services: services.map((found) => serviceRow(found, mode, pathsOf(found))),
    totalGamesDetected: games.filter(isInCache).length,
    totalServicesDetected: services.filter(isInCache).length,
    lastDetectionTime: lastAt,
    games_on_disk_bytes: sum(games),
    games_on_disk_count: onDisk.length,
    identified_cache_bytes: sum(games) + sum(services),
    identified_service_bytes: sum(services),
    detection_summary_computed_at: lastAt,
    detection_stale: isStale,
  }
}

/** Games in the short form, largest first. */
const slimMax = 500

/** Without addresses, paths and datasources: safe for guests. */
export const slimDetection = (answer: CachedDetection): SlimDetection => ({
  ...answer,
  games: answer.games.slice(0, slimMax).map((game) => ({
    game_app_id: game.game_app_id,
    game_name: game.game_name,
    cache_files_found: game.cache_files_found,
    total_size_bytes: game.total_size_bytes,
    service: game.service,
    image_url: game.image_url,
    beta_app_id: game.beta_app_id,
    is_evicted: game.is_evicted,
    evicted_downloads_count: game.evicted_downloads_count,
  })),
  services: answer.services.slice(0, slimMax).map((service) => ({
    service_name: service.service_name,
    cache_files_found: service.cache_files_found,
    total_size_bytes: service.total_size_bytes,
    is_evicted: service.is_evicted,
    evicted_downloads_count: service.evicted_downloads_count,
  })),
})

/** No detection has run. */
export const noDetection: SlimDetection = {
  hasCachedResults: false,
  games: [],
  services: [],
  totalGamesDetected: 0,
  totalServicesDetected: 0,
  lastDetectionTime: null,
  games_on_disk_bytes: 0,
  games_on_disk_count: 0,
  identified_cache_bytes: 0,
  identified_service_bytes: 0,
  detection_summary_computed_at: null,
  detection_stale: false,
}
