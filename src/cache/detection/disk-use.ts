import { emptyRecord } from '../../core/lib/record.ts'
import type { CacheParts } from '../parts.ts'

/** A change of a disk's usage by this share, or by this many bytes, makes a detection stale. */
const staleShare = 0.02
const staleBytes = 50 * 1024 ** 3

/** Bytes used on each datasource's disk; skips those that do not answer. */
export async function usedBytes({
  config,
  disk,
}: Pick<CacheParts, 'config' | 'disk'>): Promise<Record<string, number>> {
  const used = emptyRecord<number>()
  for (const { name } of config.datasources) {
    const space = await disk.space(name)
    if (space.state === 'ok') used[name] = space.usedBytes
  }
  return used
}

/** Whether a disk's usage has changed, or a disk is gone. */
export const hasMoved = (before: Record<string, number>, now: Record<string, number>): boolean =>
  Object.entries(before).some(([name, bytes]) => {
    const drift = Math.abs((now[name] ?? 0) - bytes)
    return drift >= staleBytes || (bytes > 0 && drift >= staleShare * bytes)
  })
