import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { DownloadsParts } from '../parts.ts'
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
  let isRunning = false
  let isDue = false

  async function pass(): Promise<void> {
    const now = clock.now()
    const taggedCount = await history.read((_db, sql) => tagNewDownloads(sql, now))
    if (taggedCount === taggedPerPassMax) isDue = true
    if (taggedCount === 0) return
    hub.publish('DownloadsRefresh', {
      source: 'auto-tag',
      taggedCount,
      timestamp: now.toISOString(),
    })
  }

  function run(): void {
    isRunning = true
    isDue = false
    pass()
      .catch((error: unknown) => {
        // Nothing is lost: the first rows after the outage trigger the next pass.
        if (!(error instanceof HistoryUnavailable)) log.warn({ err: error }, 'tagging failed')
      })
      .finally(() => {
        timers.after(tagEveryMs, () => {
          isRunning = false
          if (isDue) run()
        })
      })
  }

  logs.onShipped(() => {
    if (isRunning) isDue = true
    else run()
  })
}
