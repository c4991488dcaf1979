import { Value } from '@sinclair/typebox/value'
import type { EvictedMode } from '../eviction/model.ts'
import { isInCache, type Found } from '../detection/group.ts'
import type { Detected } from '../detection/read.ts'
import { SlimDetection, type CachedDetection, type DetectedGame } from './model.ts'

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

const entryRow = (found: Found, mode: EvictedMode, paths: string[]) => ({
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

function gameRow(found: Found, mode: EvictedMode, paths: string[]): DetectedGame {
  const { identity } = found
  const ids = { alpha: 0, beta: 0, named: 0, service: 0 }
  if (identity.kind === 'alpha') ids.alpha = identity.appId
  if (identity.kind === 'beta') ids.beta = betaNumber(identity.betaAppId)
  return {
    ...entryRow(found, mode, paths),
    game_app_id: ids[identity.kind],
    game_name: identity.kind === 'service' ? identity.service : identity.name,
    depot_ids: found.depotIds,
    service: identity.kind === 'beta' ? 'epicgames' : found.service,
    image_url: found.imageUrl,
    beta_app_id: identity.kind === 'beta' ? identity.betaAppId : null,
    evicted_depot_ids: found.evictedDepotIds,
  }
}

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
    services: services.map((found) => ({
      ...entryRow(found, mode, pathsOf(found)),
      service_name: found.service,
    })),
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

const copies = <T extends object>(rows: readonly T[]) =>
  rows.slice(0, slimMax).map((row) => ({ ...row }))

/** Without addresses, paths and datasources, which its schema lacks: safe for guests. */
export const slimDetection = (answer: CachedDetection): SlimDetection =>
  // Cleaned in place, hence copies.
  Value.Clean(SlimDetection, {
    ...answer,
    games: copies(answer.games),
    services: copies(answer.services),
  }) as SlimDetection

/** No detection has run. */
export const noDetection = slimDetection(
  detectionAnswer({
    detected: { games: [], services: [] },
    mode: 'show',
    lastAt: null,
    isStale: false,
    pathsOf: () => [],
  }),
)
