import type { CacheParts } from '../parts.ts'
import type { CacheEngine } from '../../engines/cache/cache-engine.ts'
import type { SizeScan } from '../../engines/cache/contract.ts'
import { emptyRecord } from '../../core/lib/record.ts'
import { within } from '../../core/lib/within.ts'

/** Result of the last size scan. */
export interface CacheScan {
  files: number
  bytes: number
  scannedAt: Date
  bytesByService: Record<string, number>
  isStale: boolean
}

/** Lifetime of figures from the index. */
const keptMs = 5000
/** A walk may keep the index busy; after this the previous figures are returned. */
const patienceMs = 500
/** A scan is stale when a disk's usage changed by this share, or by this many bytes. */
const driftShare = 0.02
const driftBytes = 50 * 1024 ** 3

interface Figures {
  scan: SizeScan
  bytesByService: Record<string, number>
}

interface Kept {
  atMs: number
  figures: Promise<Figures | null>
  last: Figures | null
}

const keptByEngine = new WeakMap<CacheEngine, Kept>()

async function readFigures(cache: CacheEngine): Promise<Figures | null> {
  const scan = await cache.lastSizeScan()
  if (scan === null) return null
  const bytesByService = emptyRecord<number>()
  for (const { service, bytes } of await cache.contents()) {
    bytesByService[service] = (bytesByService[service] ?? 0) + bytes
  }
  return { scan, bytesByService }
}

/** Shared by all callers within a few seconds. */
function figuresOf({ cache, clock }: Pick<CacheParts, 'cache' | 'clock'>): Promise<Figures | null> {
  const nowMs = clock.elapsedMs()
  const known = keptByEngine.get(cache)
  if (known !== undefined && nowMs - known.atMs < keptMs)
    return within(known.figures, patienceMs, known.last)
  const figures = readFigures(cache)
  const kept: Kept = { atMs: nowMs, figures, last: known?.last ?? null }
  keptByEngine.set(cache, kept)
  // A failed query is retried later; until then the previous figures are used.
  figures.then(
    (found) => (kept.last = found),
    () => {},
  )
  return within(figures, patienceMs, kept.last)
}

/** Whether disk usage differs from the time of the scan, or a disk is away. */
async function isStale(
  deps: Pick<CacheParts, 'config' | 'disk'>,
  scan: SizeScan,
): Promise<boolean> {
  const spaces = await Promise.all(deps.config.datasources.map(({ name }) => deps.disk.space(name)))
  if (spaces.some(({ state }) => state !== 'ok')) return true
  return scan.usage.some(({ mountPoint, usedBytes }) => {
    const now = spaces.find((space) => space.mountPoint === mountPoint)
    if (now === undefined) return true
    const moved = Math.abs(now.usedBytes - usedBytes)
    return moved >= driftBytes || (moved > 0 && moved >= usedBytes * driftShare)
  })
}

/** The last size scan; null before the first, and while the index is unavailable. */
export async function readScan(
  deps: Pick<CacheParts, 'config' | 'disk' | 'cache' | 'clock'>,
): Promise<CacheScan | null> {
  const figures = await figuresOf(deps)
  if (figures === null) return null
  const { scan, bytesByService } = figures
  return {
    files: scan.totalFiles,
    bytes: scan.totalBytes,
    scannedAt: new Date(scan.timestamp),
    bytesByService,
    isStale: await isStale(deps, scan),
  }
}
