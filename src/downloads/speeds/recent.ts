import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import type { SpeedSample } from './model.ts'

/** How far back the live chart reaches, seconds. */
const keptSeconds = 300
/** Two snapshots a second. */
const samplesMax = 2 * keptSeconds

/** Splits the total of a snapshot by the share of hits inside its window. */
function sampleOf(speeds: SpeedSnapshot): SpeedSample {
  const sum = (member: 'cacheHitBytes' | 'cacheMissBytes') =>
    speeds.gameSpeeds.reduce((total, game) => total + game[member], 0)
  const [hits, misses] = [sum('cacheHitBytes'), sum('cacheMissBytes')]
  const total = speeds.totalBytesPerSecond
  const cached = hits + misses > 0 ? (total * hits) / (hits + misses) : 0
  return { at: Date.parse(speeds.timestampUtc) / 1000, cached, fetched: total - cached }
}

/** The speeds of the last five minutes, for charts that are opened now. */
export class RecentSpeeds {
  #samples: SpeedSample[] = []

  add(speeds: SpeedSnapshot): void {
    this.#samples.push(sampleOf(speeds))
    if (this.#samples.length > samplesMax) this.#samples.shift()
  }

  /** Oldest first. */
  since(now: Date): SpeedSample[] {
    const from = now.getTime() / 1000 - keptSeconds
    return this.#samples.filter(({ at }) => at >= from)
  }
}
