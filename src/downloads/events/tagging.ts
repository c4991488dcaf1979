import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { DownloadsParts } from '../parts.ts'
import { createSoon } from '../../core/lib/soon.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import type { Reports } from '../reports/reports.ts'
import { newestDownload, tagNewDownloads, tagOldDownloads, taggedPerPassMax } from './tag-store.ts'

/** Rows arrive every second; tags may lag a few seconds. */
export const tagEveryMs = 5000
/** Rows that wait for longer are a backlog. */
const behindSeconds = 10

type TaggingDeps = Pick<DownloadsParts, 'logs' | 'history' | 'clock' | 'hub' | 'log'>

/**
 * Tags downloads that begin inside an event after their rows have reached the history. One pass at
 * a time, with a minimum interval; rows that arrive meanwhile are for the next one.
 */
export function connectTagging(
  deps: TaggingDeps,
  reports: Pick<Reports, 'dropAll'>,
  timers: Timers = systemTimers,
): void {
  const { logs, history, clock, hub, log } = deps
  let oldAfter: number | null = null
  let wasBehind = false

  /** A download that stays open while a backlog is read arrives long after those with later ids. */
  function isBehind(): boolean {
    const { state, outbox } = logs.status()
    return state !== 'following' || outbox.lagSeconds > behindSeconds
  }

  /** Events that are long over, whose reports are kept; at the end of a backlog from all rows. */
  async function tagOld(now: Date): Promise<number> {
    const isNowBehind = isBehind()
    if (wasBehind && !isNowBehind) oldAfter = null
    wasBehind = isNowBehind
    return history.read(async (_db, sql) => {
      const next = await newestDownload(sql)
      const taggedCount = await tagOldDownloads(sql, { now, after: oldAfter })
      if (taggedCount < taggedPerPassMax) oldAfter = next
      if (taggedCount > 0) reports.dropAll()
      return taggedCount
    })
  }

  async function pass(): Promise<void> {
    const now = clock.now()
    const newCount = await history.read((_db, sql) => tagNewDownloads(sql, now))
    const oldCount = await tagOld(now)
    if (wasBehind || Math.max(newCount, oldCount) === taggedPerPassMax) tagging.request()
    const taggedCount = newCount + oldCount
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
