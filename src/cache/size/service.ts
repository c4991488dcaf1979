import type { CacheParts } from '../parts.ts'
import type { SizeScan } from '../../engines/cache/contract.ts'
import { scanStatusOf } from '../../core/operations/scan-status.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { unavailable } from '../../core/http/errors.ts'
import { awayFacts } from '../away/away.ts'
import { within } from '../../core/lib/within.ts'
import { readScan } from '../info/scan.ts'
import { formatDuration, formatSize } from './format.ts'
import type { CacheSize } from './model.ts'
import { scanOf, submitScan } from './scan.ts'

/**
 * Time limit for scanning one cache within a request; after that it continues in the background.
 */
export const liveScanMs = 200_000

export type SizeAnswer =
  { kind: 'size'; size: CacheSize } | { kind: 'none' } | { kind: 'scanning'; operationId: string }

function sizeOf(scan: Omit<SizeScan, 'usage'>, how: { isCached: boolean; isStale: boolean }) {
  const { deletionSeconds, totalBytes, ...facts } = scan
  const { preserve, full, rsync } = deletionSeconds
  const size: CacheSize = {
    available: true,
    totalBytes,
    totalFiles: facts.totalFiles,
    totalDirectories: facts.totalDirectories,
    hexDirectories: facts.hexDirectories,
    scanDurationMs: facts.scanDurationMs,
    estimatedDeletionTimes: {
      preserveSeconds: preserve,
      fullSeconds: full,
      rsyncSeconds: rsync,
      preserveFormatted: formatDuration(preserve),
      fullFormatted: formatDuration(full),
      rsyncFormatted: formatDuration(rsync),
    },
    formattedSize: formatSize(totalBytes),
    timestamp: facts.timestamp,
    ...how,
  }
  return size
}

/** The size of the caches. */
export function createCacheSize(deps: CacheParts) {
  const { cache, config, operations } = deps

  /** Scans one cache now. Throws `notFound`, and `unavailable` when it cannot be read. */
  async function live(datasource: string): Promise<SizeAnswer> {
    const { name } = datasourceNamed(config, datasource)
    const run = { signal: new AbortController().signal, progress() {} }
    const walked = cache.walk({ datasource: name, depth: 'directories' }, run)
    let failure: unknown
    walked.catch((error: unknown) => (failure = error))
    const outcomes = await within(walked, liveScanMs, null)
    if (failure !== undefined) throw failure
    if (outcomes === null)
      throw unavailable('The cache scan is not finished; ask again in a minute', 60)
    const roots = await cache.roots()
    const own = roots.find((root) => root.datasource === name)
    const tree = own?.sharedWith ?? name
    const outcome = outcomes.find((one) => one.datasource === tree)
    if (outcome === undefined || outcome.state !== 'complete') {
      throw unavailable(outcome?.problem ?? 'The cache could not be scanned', 30)
    }
    const size = sizeOf(await scanOf(deps, outcome), { isCached: false, isStale: false })
    return { kind: 'size', size }
  }

  return {
    live,

    /** The result of the last scan. */
    async last(): Promise<SizeAnswer> {
      const scan = await cache.lastSizeScan()
      if (scan !== null) {
        const known = await readScan(deps)
        const how = { isCached: true, isStale: known?.isStale ?? true }
        return { kind: 'size', size: { ...sizeOf(scan, how), ...awayFacts(deps) } }
      }
      const active = operations.active('cacheSizeScan')
      return active === null ? { kind: 'none' } : { kind: 'scanning', operationId: active.id }
    },

    scan: () => submitScan(deps, { isSilent: false }),

    /** Accepts a cache that is empty or lost nearly all of its files. Throws `notFound`. */
    accept: (datasource: string) =>
      submitScan(deps, { isSilent: false, accepted: datasourceNamed(config, datasource).name }),

    status: () => scanStatusOf(operations, 'cacheSizeScan'),

    /** The index of each cache, without reading the disk. */
    async states() {
      const items = (await cache.roots()).map(
        ({ path: _path, scheme: _scheme, isConclusive: _isTelling, ...root }) => root,
      )
      return { items }
    },
  }
}
