/*
 * A run that went on, or came to its end, while the service was away. Our own daemon keeps the events
 * of its last run that matter, and the manager has noted the run and the rows of its games: what is
 * not recorded is taken now, through the state machine, and nothing twice.
 */
import { serverAddress } from '../../core/lib/cache-network.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Progress } from '../protocol/progress.ts'
import type { HistoryRow } from './history-store.ts'
import { failureText } from './refusals.ts'
import { isGameEnd, type RunEvent, type RunSchedule } from './run.ts'
import type { LiveSession } from './state.ts'
import type { Stores } from './stores.ts'

/** What the daemon has kept of a run that no process saw end, and the rows that one has written. */
export interface FoundRun {
  mark: string
  /** `host:port`; null: the cache of the daemon. */
  cache: string | null
  startedAt: Date
  schedule: RunSchedule
  events: readonly Progress[]
  rows: readonly HistoryRow[]
}

/** The run of a daemon that was found again, with its interrupted row open again; null: none is known. */
export async function findRun(
  { rows, history }: Stores,
  session: LiveSession,
  log: Logger,
): Promise<FoundRun | null> {
  const noted = rows.openRun(session.id)
  if (!session.isLarders || noted === null) return null
  try {
    const { run, scheduleId, scheduleName, cache, events } = await session.client.lastRun()
    if (run !== noted.mark) return null
    const { mark, startedAt } = noted
    const schedule = scheduleId === null ? null : { id: scheduleId, name: scheduleName ?? '' }
    const rows = history.takeUp(session.id, startedAt)
    return { mark, cache, startedAt, schedule, events, rows }
  } catch (error) {
    // A daemon of an earlier version keeps nothing.
    const reason = failureText(error)
    log.warn({ sessionId: session.id, reason }, 'what a daemon did meanwhile is not known')
    return null
  }
}

/**
 * The run of a published image, which keeps nothing of it, with its interrupted row open again: what is
 * recorded. Null: none is known.
 */
export function recordedRun({ rows, history }: Stores, { id }: LiveSession): FoundRun | null {
  const noted = rows.openRun(id)
  if (noted === null) return null
  const { mark, startedAt } = noted
  const games = history.takeUp(id, startedAt)
  const { scheduleId = null, scheduleName } = games.at(-1) ?? {}
  const schedule = scheduleId === null ? null : { id: scheduleId, name: scheduleName ?? '' }
  return { mark, cache: null, startedAt, schedule, events: [], rows: games }
}

/** The clock as it was when the daemon sent this. */
function clockAt({ updatedAt }: Progress, clock: Clock): Clock {
  const sentMs = updatedAt === null ? NaN : Date.parse(updatedAt)
  const agoMs = Math.max(0, clock.now().getTime() - sentMs) || 0
  return {
    now: () => new Date(clock.now().getTime() - agoMs),
    elapsedMs: () => clock.elapsedMs() - agoMs,
  }
}

const bytesOf = ({ appId, bytesDownloaded: bytes, totalBytes }: HistoryRow) => ({
  appId,
  bytes,
  totalBytes,
})

/** What has happened to the run meanwhile, each event with the clock at its time. */
export function eventsOf(found: FoundRun, clock: Clock): [RunEvent, Clock][] {
  const { mark, cache, startedAt, schedule, events, rows } = found
  const closed = new Map(rows.map((row) => [row.appId, row]))
  const open = rows.find(({ status }) => status === 'InProgress')
  if (open !== undefined) closed.delete(open.appId)
  const ago = (at: Date | null) => clock.elapsedMs() - clock.now().getTime() + (at?.getTime() ?? 0)
  const newest = events.at(-1)
  const known = {
    mark,
    cache: cache === null ? null : serverAddress(cache),
    schedule,
    finished: new Map([...closed].map(([appId, row]) => [appId, ago(row.completedAt)])),
    finishedBytes: [...closed.values()].reduce((sum, row) => sum + row.bytesDownloaded, 0),
    gameEndedAt: [...closed.values()].at(-1)?.completedAt ?? startedAt,
    open: open === undefined ? null : bytesOf(open),
    startedMs:
      newest === undefined
        ? ago(startedAt)
        : clockAt(newest, clock).elapsedMs() - newest.elapsedSeconds * 1000,
  }
  const isNew = ({ currentAppId }: Progress) => currentAppId === null || !closed.has(currentAppId)
  return [
    [{ kind: 'found', known }, clock],
    ...events
      .filter(isNew)
      .map((progress): [RunEvent, Clock] => [
        { kind: 'progress', progress },
        clockAt(progress, clock),
      ]),
  ]
}

/** Whether this arrived before the daemon answered what it has kept. */
export const isAmong = ({ events }: FoundRun, event: RunEvent): boolean =>
  event.kind === 'progress' &&
  event.progress.currentAppId !== null &&
  events.some((one) => isGameEnd(one) && one.currentAppId === event.progress.currentAppId)
