import {
  everything,
  foldedService,
  sumsByGame,
  type GameGroupSums,
  type Scope,
} from '../../downloads/contract.ts'
import type { Reading } from './families.ts'
import { hitRatioOf, reading, totalOf, type MetricsParts, type Sums } from './readings.ts'
import { activeGames, largestDownload, type ActiveGame } from './store.ts'

/** Rows without a known game, one per service; they are read beside the games. */
const unknownMax = 200
const throughputSeconds = 60
/** The largest download is searched among all of them this often; among recent ones in between. */
const largestMs = 3_600_000
/** Downloads that ended longer ago no longer grow. */
const growingSeconds = 2 * (largestMs / 1000)

interface GameLabels extends Record<string, string> {
  service: string
  game: string
  app_id: string
}

interface NamedGame {
  service: string
  gameName: string | null
  appId: number | null
}

const labelsOf = ({ service, gameName, appId }: NamedGame): GameLabels => ({
  service: service.toLowerCase(),
  game: gameName ?? '',
  app_id: String(appId ?? 0),
})

/** Games with the same labels as one, most bytes first. */
function mergedGames(rows: readonly GameGroupSums[]): (Sums & { labels: GameLabels })[] {
  const merged = new Map<string, Sums & { labels: GameLabels }>()
  for (const row of rows) {
    const labels = labelsOf(row)
    const key = Object.values(labels).join('\n')
    const { hitBytes, missBytes, downloads } = row
    const known = merged.get(key) ?? { labels, hitBytes: 0, missBytes: 0, downloads: 0 }
    merged.set(key, {
      labels,
      hitBytes: known.hitBytes + hitBytes,
      missBytes: known.missBytes + missBytes,
      downloads: known.downloads + downloads,
    })
  }
  return [...merged.values()]
}

/** Downloads that run or ended within five minutes; of games only those in the list. */
function activeReadings(active: readonly ActiveGame[], listed: ReadonlySet<string>): Reading[] {
  const downloads = active.reduce((sum, row) => sum + row.downloads, 0)
  const bytes = active.reduce((sum, row) => sum + row.bytes, 0)
  const ofGames = active.filter((row) => listed.has(Object.values(labelsOf(row)).join('\n')))
  return [
    reading('lancache_active_downloads', downloads),
    reading('lancache_active_clients', new Set(active.map(({ client }) => client)).size),
    reading('lancache_throughput_bytes_per_second', bytes / throughputSeconds),
    ...active.map((row) =>
      reading('lancache_service_active_downloads', row.downloads, {
        service: foldedService(row.logService).toLowerCase(),
      }),
    ),
    ...ofGames.map((row) =>
      reading('lancache_game_active_downloads', row.downloads, labelsOf(row)),
    ),
  ]
}

/** The games with the most bytes, what is active, and Steam downloads of no known game. */
export async function gameReadings(
  { clock, reports }: MetricsParts,
  scope: Scope,
  gamesMax: number,
): Promise<Reading[]> {
  const nowSeconds = clock.now().getTime() / 1000
  const options = { focus: everything, limit: gamesMax + unknownMax }
  const [rows, active] = await Promise.all([
    reports.read((sql) => sumsByGame(sql, scope, options)),
    reports.read((sql) => activeGames(sql, scope, nowSeconds)),
  ])
  const isUnknown = ({ gameId }: GameGroupSums) => gameId === 'unknown'
  const unknown = rows.find((row) => isUnknown(row) && row.service === 'steam')
  const games = mergedGames(rows.filter((row) => !isUnknown(row)).slice(0, gamesMax))
  return [
    ...games.flatMap((row) => [
      reading('lancache_game_bytes', totalOf(row), row.labels),
      reading('lancache_game_cache_hit_bytes', row.hitBytes, row.labels),
      reading('lancache_game_cache_miss_bytes', row.missBytes, row.labels),
      reading('lancache_game_downloads', row.downloads, row.labels),
      reading('lancache_game_cache_hit_ratio', hitRatioOf(row), row.labels),
    ]),
    ...activeReadings(active, new Set(games.map(({ labels }) => Object.values(labels).join('\n')))),
    reading('lancache_alpha_unknown_game_bytes', unknown === undefined ? 0 : totalOf(unknown)),
    reading('lancache_alpha_unknown_game_downloads', unknown?.downloads ?? 0),
  ]
}

/** Games in the cache as of the last detection, the largest first. */
export async function detectionReadings(
  { games }: Pick<MetricsParts, 'games'>,
  gamesMax: number,
): Promise<Reading[]> {
  const found = await games.summary()
  const computedAt = Date.parse(found.detection_summary_computed_at ?? '')
  const stored = found.games
    .filter((game) => !game.is_evicted)
    .sort((a, b) => b.total_size_bytes - a.total_size_bytes)
    .slice(0, gamesMax)
  return [
    reading('lancache_games_on_disk_bytes', found.games_on_disk_bytes),
    reading('lancache_games_on_disk', found.games_on_disk_count),
    ...(Number.isNaN(computedAt)
      ? []
      : [reading('lancache_detection_computed_timestamp', computedAt / 1000)]),
    ...stored.flatMap((game) => {
      const appId = game.beta_app_id === null ? game.game_app_id : null
      const labels = labelsOf({ service: game.service ?? '', gameName: game.game_name, appId })
      return [
        reading('lancache_game_cache_bytes', game.total_size_bytes, labels),
        reading('lancache_game_cache_files', game.cache_files_found, labels),
      ]
    }),
  ]
}

/**
 * Size of the largest download. Reading all of them takes a second at a million, so the complete
 * search runs once an hour and whenever the excluded clients change.
 */
export function createLargest({ clock, reports }: Pick<MetricsParts, 'clock' | 'reports'>) {
  let known: { bytes: number; atMs: number; scope: string } | null = null
  return async (scope: Scope): Promise<Reading[]> => {
    const nowMs = clock.elapsedMs()
    const key = JSON.stringify(scope)
    const kept = known?.scope === key && nowMs - known.atMs < largestMs ? known : null
    const since = kept === null ? null : clock.now().getTime() / 1000 - growingSeconds
    const found = await reports.read((sql) => largestDownload(sql, scope, since))
    const bytes = Math.max(found, kept?.bytes ?? 0)
    known = { bytes, atMs: kept?.atMs ?? nowMs, scope: key }
    return [reading('lancache_download_size_largest_bytes', bytes)]
  }
}
