import type { DownloadsParts } from '../parts.ts'
import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import type { Activities } from '../../core/live/events.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { activeSeconds } from '../reports/active.ts'
import type { RecentSpeeds } from './recent.ts'

/** Minimum interval between list refreshes, however often rows arrive. */
const refreshEveryMs = 1_000

type FeedDeps = Pick<
  DownloadsParts,
  'hub' | 'activity' | 'logs' | 'history' | 'operations' | 'clock'
>

/** Sends immediately if the interval has passed, else once when it has. */
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

/** Jobs by type, and downloading clients by address. */
function currentActivities(
  operations: DownloadsParts['operations'],
  speeds: SpeedSnapshot,
): Activities {
  const jobs = new Map<string, number>()
  for (const { type, status } of operations.list()) {
    if (status === 'running' || status === 'cancelling') jobs.set(type, (jobs.get(type) ?? 0) + 1)
  }
  const operationActivities = [...jobs].map(([key, activeCount]) => ({
    domain: 'operation',
    key,
    aspect: 'running',
    isActive: true,
    activeCount,
  }))
  const downloads = speeds.clientSpeeds.map(({ clientIp, activeGames }) => ({
    domain: 'download',
    key: clientIp,
    aspect: 'downloading',
    isActive: true,
    activeCount: activeGames,
  }))
  return [...operationActivities, ...downloads]
}

interface FeedOptions {
  timers?: Timers
  /** Keeps what was shown. */
  recent: Pick<RecentSpeeds, 'add'>
  /** Leaves out what nobody may see: hidden clients, evicted rows where they are switched off. */
  shown?: (speeds: SpeedSnapshot) => SpeedSnapshot
}

/** Connects what the engines and the history report to the live channel. Called once. */
export function connectFeeds(deps: FeedDeps, options: FeedOptions): void {
  const { hub, activity, logs, history, operations, clock } = deps
  const { timers = systemTimers, shown = (speeds) => speeds, recent } = options
  activity.add(() => ({ activities: currentActivities(operations, shown(logs.speeds())) }))
  operations.onChange(() => activity.update())

  const refresh = limited(() => hub.publish('DownloadsRefresh', null), { clock, timers })
  logs.onShipped(refresh)
  logs.onSpeeds((snapshot) => {
    const visible = shown(snapshot)
    recent.add(visible)
    hub.publish('DownloadSpeedUpdate', visible)
    activity.update()
    if (snapshot.hasActiveDownloads) return
    // The trailing zero: rows changed, and again when none of them counts as running any more.
    refresh()
    timers.after(activeSeconds * 1000, refresh)
  })
  history.onStatus(({ state, message }) => {
    hub.publish('HistoryStatusChanged', { state, message })
  })
}
