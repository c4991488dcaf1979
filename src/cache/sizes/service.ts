import { unavailable } from '../../core/http/errors.ts'
import { binEnds, errorOf, shareAt } from '../../engines/logs/reuse/curve.ts'
import { reuseWeeks, type ReuseCurve } from '../../engines/logs/contract.ts'
import { rootOf } from '../datasources/roots.ts'
import type { CacheParts } from '../parts.ts'
import type { SizeCurve, SizePoint } from './model.ts'

const daySeconds = 86_400
/** Less shows one evening rather than how the cache is used. */
const sinceDaysMin = 7
const objectsMin = 400
const gigabyte = 1_000_000_000
/** The curve ends at this many times the larger of cache and disk. */
const reachFactor = 2

type Parts = Pick<CacheParts, 'logs' | 'datasources' | 'disk' | 'cache' | 'clock' | 'log'>

const pointAt = ({ byBytes, byRequests }: ReuseCurve, bytes: number): SizePoint => ({
  bytes,
  byBytes: shareAt(byBytes, bytes),
  byRequests: shareAt(byRequests, bytes),
})

/** The largest of 1, 2, 5, 10 GB and so on that is at most half of the cache. */
function stepOf(bytes: number): number {
  const half = Math.max(bytes / 2, gigabyte)
  const power = 10 ** Math.floor(Math.log10(half))
  return power * ([5, 2].find((factor) => factor * power <= half) ?? 1)
}

function stateOf({ since, objects }: ReuseCurve, nowS: number): SizeCurve['state'] {
  if (nowS - since < sinceDaysMin * daySeconds) return 'tooLittleHistory'
  return objects < objectsMin ? 'tooFewObjects' : 'ready'
}

/** Curves of a cache's size, from the log engine's sample. */
export function createSizes({ logs, datasources, disk, cache, clock, log }: Parts) {
  async function curveOf(curve: ReuseCurve): Promise<SizeCurve> {
    const { datasource, since, objects, sums } = curve
    const [space, limit] = await Promise.all([disk.space(datasource), disk.limit(datasource)])
    const diskBytes = space.state === 'ok' ? space.capacityBytes : null
    const sizes = [limit.resolvedBytes, diskBytes ?? 0].filter((bytes) => bytes > 0)
    const size = sizes.length === 0 ? null : Math.min(...sizes)
    const reach = reachFactor * Math.max(gigabyte, ...sizes)
    const state = stateOf(curve, clock.now().getTime() / 1000)
    const isReady = state === 'ready'
    const ends = binEnds.filter((bytes) => bytes >= gigabyte && bytes <= reach)
    return {
      datasource,
      state,
      since: new Date(since * 1000).toISOString(),
      requests: sums.requests,
      bytes: sums.bytes,
      measured: {
        byBytes: sums.bytes > 0 ? sums.hitBytes / sums.bytes : 0,
        byRequests: sums.requests > 0 ? sums.hits / sums.requests : 0,
      },
      objects,
      error: errorOf(objects),
      today: isReady && size !== null ? pointAt(curve, size) : null,
      more: isReady && size !== null ? pointAt(curve, size + stepOf(size)) : null,
      diskBytes,
      points: isReady ? ends.map((bytes) => pointAt(curve, bytes)) : [],
    }
  }

  /** Tells the log engine which bytes are one cache file. */
  const noteSlices = async () => {
    const all = await datasources.all()
    logs.setSlices(Object.fromEntries(all.map((facts) => [facts.name, rootOf(facts).sliceBytes])))
  }
  const refresh = () =>
    void noteSlices().catch((error: unknown) => log.debug({ err: error }, 'no slice sizes'))

  return {
    /** Slice sizes are known from the first cache files at the latest. */
    start(): void {
      refresh()
      cache.onChange(refresh)
    },
    async read() {
      const curves = await logs.reuseCurves().catch(() => {
        throw unavailable('The log engine does not run', 30)
      })
      const items = await Promise.all(curves.map(curveOf))
      return { windowDays: reuseWeeks * 7, items }
    },
  }
}
export type Sizes = ReturnType<typeof createSizes>
