import type { Static } from '@sinclair/typebox'
import { awayFacts } from '../away/away.ts'
import { denialOf } from '../datasources/schemes.ts'
import type { CacheParts } from '../parts.ts'
import type { CacheInfo, DatasourceFacts, DatasourceFactsList } from './model.ts'
import { readScan } from './scan.ts'
import { spaceLeftOf } from './space-left.ts'

/** Answer while nothing is known. */
export const emptyCacheInfo: CacheInfo = {
  totalCacheSize: 0,
  configuredCacheSize: 0,
  driveCapacity: 0,
  usedCacheSize: 0,
  freeCacheSize: 0,
  usagePercent: 0,
  totalFiles: 0,
  serviceSizes: {},
  hasCacheScan: false,
  cacheScanTimestampUtc: null,
  cacheScanTotalBytes: 0,
  scanStale: false,
  driveState: 'missing',
  space: null,
}

type InfoDeps = Pick<CacheParts, 'config' | 'disk' | 'cache' | 'clock'>

/** 0 to 100 with one decimal; 0 if the whole is 0. */
const percentOf = (part: number, whole: number) =>
  whole > 0 ? Math.round((part / whole) * 1000) / 10 : 0

/**
 * The first datasource's disk, the limit of all caches and the last scan. A disk that is away has
 * zeros and a state; the scan is then stale, since it cannot be compared.
 */
export async function cacheInfo(deps: InfoDeps): Promise<CacheInfo> {
  const [first] = deps.config.datasources
  if (first === undefined) return emptyCacheInfo
  const [space, configuredCacheSize, scan] = await Promise.all([
    deps.disk.space(first.name),
    deps.disk.configuredBytes(),
    readScan(deps),
  ])
  const totalCacheSize = configuredCacheSize > 0 ? configuredCacheSize : space.capacityBytes
  const known = {
    totalCacheSize,
    configuredCacheSize,
    driveCapacity: space.capacityBytes,
    usedCacheSize: space.usedBytes,
    freeCacheSize: space.freeBytes,
    usagePercent: percentOf(space.usedBytes, totalCacheSize),
    totalFiles: scan?.files ?? 0,
    serviceSizes: scan?.bytesByService ?? {},
    hasCacheScan: scan !== null,
    cacheScanTimestampUtc: scan?.scannedAt.toISOString() ?? null,
    cacheScanTotalBytes: scan?.bytes ?? 0,
    scanStale: scan?.isStale ?? false,
    driveState: space.state,
  }
  return { ...known, space: spaceLeftOf(known) }
}

/** All known facts about each datasource. */
export async function datasourceFacts(
  deps: Pick<CacheParts, 'datasources' | 'disk' | 'nodeHosts'>,
): Promise<Static<typeof DatasourceFactsList>> {
  const { away = [] } = awayFacts(deps)
  const items = (await deps.datasources.all()).map(async (facts) => {
    const { filesystem: _, ...known } = facts
    const [disk, limit] = await Promise.all([
      deps.disk.space(facts.name),
      deps.disk.limit(facts.name),
    ])
    const node = away.find(({ datasources }) => datasources.includes(facts.name))
    const item: Static<typeof DatasourceFacts> = {
      ...known,
      ...(node !== undefined && { awaySinceUtc: node.sinceUtc }),
      denial: denialOf(facts.name, facts.scheme),
      limitBytes: limit.resolvedBytes,
      limitSource: limit.source,
      disk,
    }
    return item
  })
  return { items: await Promise.all(items) }
}
