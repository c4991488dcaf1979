import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { DownloadsParts } from '../parts.ts'
import { createSoon } from '../../core/lib/soon.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { tagNewDownloads, taggedPerPassMax } from './tag-store.ts'

/** Rows arrive every second; tags may lag a few seconds. */
export const tagEveryMs = 5000

type TaggingDeps = Pick<DownloadsParts, 'logs' | 'history' | 'clock' | 'hub' | 'log'>

/**
 * Tags downloads that begin inside an event after their rows have reached the history. One pass at
 * a time, with a minimum interval; rows that arrive meanwhile are for the next one.
 */
export function connectTagging(deps: TaggingDeps, timers: Timers = systemTimers): void {
  const { logs, history, clock, hub, log } = deps
  async function pass(): Promise<void> {
    const now = clock.now()
    const taggedCount = await history.read((_db, sql) => tagNewDownloads(sql, now))
    if (taggedCount === taggedPerPassMax) tagging.request()
    if (taggedCount === 0) return
    hub.publish('DownloadsRefresh', {
      source: 'auto-tag',
      taggedCount,
      timestamp: now.toISOString(),
    })
  }

  const tagging = createSoon({
    timers,
    gapMs: tagEveryMs,
    run: () =>
      pass().catch((error: unknown) => {
        // Nothing is lost: the first rows after the outage trigger the next pass.
        if (!(error instanceof HistoryUnavailable)) log.warn({ err: error }, 'tagging failed')
      }),
  })
  logs.onShipped(tagging.request)
}
