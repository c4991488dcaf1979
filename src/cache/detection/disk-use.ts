import type { CacheParts } from '../parts.ts'

/** A change of this share of a disk's use, or of this many bytes, makes a detection stale. */
const staleShare = 0.02
const staleBytes = 50 * 1024 ** 3

/** Used bytes of the disk below each datasource; those that do not answer are left out. */
export async function usedBytes({
  config,
  disk,
}: Pick<CacheParts, 'config' | 'disk'>): Promise<Record<string, number>> {
  const used: Record<string, number> = {}
  for (const { name } of config.datasources) {
    const space = await disk.space(name)
    if (space.state === 'ok') used[name] = space.usedBytes
  }
  return used
}

/** Whether a disk's use has moved on, or a disk is gone. */
export const hasMoved = (before: Record<string, number>, now: Record<string, number>): boolean =>
  Object.entries(before).some(([name, bytes]) => {
    const drift = Math.abs((now[name] ?? 0) - bytes)
    return drift >= staleBytes || (bytes > 0 && drift >= staleShare * bytes)
  })
