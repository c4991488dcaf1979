import type { CacheParts } from '../cache/parts.ts'
import { seededRandom } from './random.ts'

const days = 30
const hourSeconds = 3600
/** Days in which the demo's cache would have grown to its size. */
const growthDays = 90

/**
 * Hourly sizes of the past month, ending at the actual size, as snapshots would have stored them:
 * slow growth at night, fast in the evening. Waits for the history.
 */
export async function writePastSizes(
  parts: Pick<CacheParts, 'disk' | 'config' | 'clock' | 'history'>,
  seed: number,
): Promise<void> {
  const { disk, config, clock, history } = parts
  const name = config.datasources[0]?.name
  const space = name === undefined ? null : await disk.space(name)
  if (space === null || space.state !== 'ok') return
  const random = seededRandom(seed)
  const endAt = Math.floor(clock.now().getTime() / 1000 / hourSeconds) * hourSeconds
  let usedBytes = space.usedBytes
  const bytesPerDay = usedBytes / growthDays
  const rows = Array.from({ length: days * 24 }, (_, hour) => {
    const at = endAt - hour * hourSeconds
    const evening = Math.floor(at / hourSeconds) % 24 >= 16 ? 2 : 0.5
    usedBytes -= Math.round((bytesPerDay / 24) * evening * (0.5 + random.next()))
    return { at, used: Math.max(0, usedBytes), total: space.capacityBytes }
  })
  await history.read(
    (_db, sql) => sql`
      INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
      SELECT to_timestamp(at), used, total, used / total
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        AS row(at float8, used float8, total float8)
      ON CONFLICT (taken_at) DO NOTHING`,
  )
}
