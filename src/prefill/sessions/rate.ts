import type { HistoryStore } from './history-store.ts'

type Download = ReturnType<HistoryStore['downloads']>[number]

/** Bytes per second of earlier downloads, the time of each included; null: none can tell. */
export function rateOf(downloads: readonly Download[]): number | null {
  let [bytes, tookMs] = [0, 0]
  for (const { bytesDownloaded, startedAt, completedAt } of downloads) {
    bytes += bytesDownloaded
    tookMs += Math.max(0, (completedAt ?? startedAt).getTime() - startedAt.getTime())
  }
  return bytes > 0 && tookMs > 0 ? bytes / (tookMs / 1000) : null
}
