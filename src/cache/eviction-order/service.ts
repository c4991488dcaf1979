/*
 * nginx evicts the file that it has not read or stored for the longest time, by a queue in its
 * memory. It does not write that queue down, and it does not change a file when it serves it: after
 * a restart of the proxy, files that were not requested since are in the order in which nginx found
 * them on the disk. Without a restart the order is that of use, which the index (when a file was
 * stored) and the history (when a client last downloaded the game) know for whole games.
 */
import { scopeOf, serviceSums } from '../../downloads/contract.ts'
import type { CacheParts } from '../parts.ts'
import { cacheInfo } from '../info/service.ts'
import { readCacheState } from '../retention/cache-state.ts'
import { byUse } from '../retention/select.ts'
import type { Snapshots } from '../snapshots/service.ts'
import type { EvictionOrder } from './model.ts'

/** Games in an answer. */
const gamesMax = 10
const rateDays = 30
const daySeconds = 86_400

type Rate = Pick<EvictionOrder, 'bytesPerDay' | 'basis'>

/** Which games are evicted next, and when. */
export function createEvictionOrder(deps: CacheParts, snapshots: Snapshots) {
  const { reports, clock } = deps

  /** What clients and prefill fetched in the last days: a full cache evicts as much. */
  async function fetchedPerDay(): Promise<number> {
    const now = Math.floor(clock.now().getTime() / 1000)
    const startTime = now - rateDays * daySeconds
    const scope = scopeOf({ startTime, includePrefill: true })
    const rows = await reports.cached('services', scope, () =>
      reports.read((sql) => serviceSums(sql, scope)),
    )
    const first = Math.min(now - daySeconds, ...rows.map(({ firstAt }) => firstAt))
    const days = Math.min(rateDays, (now - Math.max(first, startTime)) / daySeconds)
    return rows.reduce((sum, { missBytes }) => sum + missBytes, 0) / Math.max(days, 1)
  }

  async function rateOf(isFull: boolean): Promise<Rate> {
    const { growthBytesPerDay } = await snapshots.forecast()
    if (!isFull && growthBytesPerDay !== null && growthBytesPerDay > 0) {
      return { bytesPerDay: growthBytesPerDay, basis: 'growth' }
    }
    const bytesPerDay = await fetchedPerDay()
    return bytesPerDay > 0
      ? { bytesPerDay, basis: 'downloads' }
      : { bytesPerDay: null, basis: null }
  }

  /** Rejects with HistoryUnavailable. */
  async function read(): Promise<EvictionOrder> {
    const [state, info] = await Promise.all([readCacheState(deps), cacheInfo(deps)])
    const roomBytes = info.space?.roomBytes ?? null
    const none = { games: [], total: 0, roomBytes, bytesPerDay: null, basis: null }
    if ('text' in state) return { ...none, reason: state.text }
    const silent = Object.values(state.silent)[0]
    if (silent !== undefined) return { ...none, reason: silent.text }
    const ordered = state.games.filter(({ files }) => files > 0).toSorted(byUse)
    const rate = await rateOf(roomBytes !== null && roomBytes <= 0)
    let before = roomBytes ?? 0
    const games = ordered.slice(0, gamesMax).map((game) => {
      const { key, name, service, bytes, lastUsedAt } = game
      const isKnown = roomBytes !== null && rate.bytesPerDay !== null
      const inDays = isKnown ? before / (rate.bytesPerDay ?? 1) : null
      before += bytes
      const at = new Date(lastUsedAt * 1000).toISOString()
      return { key, name, service, bytes, lastUsedAt: at, inDays }
    })
    return { games, total: ordered.length, roomBytes, ...rate, reason: null }
  }

  return { read }
}
