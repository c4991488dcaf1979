import type { DownloadsParts } from '../parts.ts'
import type { SpeedSnapshot } from '../../engines/logs/contract.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { ActivityFeed } from './activity.ts'

/** Lists are read again at most this often, however often rows arrive. */
const refreshEveryMs = 1_000

type FeedDeps = Pick<DownloadsParts, 'hub' | 'logs' | 'history' | 'operations' | 'clock'>

/** Sends at once when the last one is long enough ago, else once when it is. */
function limited(
  send: () => void,
  { clock, timers }: { clock: DownloadsParts['clock']; timers: Timers },
) {
  let sentAtMs = Number.NEGATIVE_INFINITY
  let isDue = false
  const now = () => {
    isDue = false
    sentAtMs = clock.elapsedMs()
    send()
  }
  return () => {
    if (isDue) return
    const waitMs = sentAtMs + refreshEveryMs - clock.elapsedMs()
    if (waitMs <= 0) return now()
    isDue = true
    timers.after(waitMs, now)
  }
}

interface FeedOptions {
  timers?: Timers
  /** Leaves out what nobody may see: hidden clients, evicted rows where they are switched off. */
  shown?: (speeds: SpeedSnapshot) => SpeedSnapshot
}

/** Connects what the engines and the history report to the live channel. Called once. */
export function connectFeeds(deps: FeedDeps, options: FeedOptions = {}): void {
  const { hub, logs, history, operations, clock } = deps
  const { timers = systemTimers, shown = (speeds) => speeds } = options
  const activity = new ActivityFeed({ hub, operations, speeds: () => shown(logs.speeds()) })
  hub.provideSnapshot(() => {
    // First the others: whoever connects must not swallow a change they have not heard of.
    activity.update()
    return activity.snapshot()
  })
  operations.onChange(() => activity.update())

  const refresh = limited(() => hub.publish('DownloadsRefresh', null), { clock, timers })
  logs.onShipped(refresh)
  logs.onSpeeds((snapshot) => {
    hub.publish('DownloadSpeedUpdate', shown(snapshot))
    activity.update()
    // The trailing zero: downloads have just ended, their rows changed.
    if (!snapshot.hasActiveDownloads) refresh()
  })
  history.onStatus(({ state, message }) => {
    hub.publish('HistoryStatusChanged', { state, message })
  })
}
