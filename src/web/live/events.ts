import type { QueryClient } from '@tanstack/react-query'
import type { EventName, PayloadOf } from '../../core/live/events.ts'
import type { UserPreferences } from '../api/access-queries.ts'
import { api, unwrap, keys } from '../api/client.ts'
import type { AuthStatus, OperationsOverview } from '../api/queries.ts'
import { isOver, mergeOperation } from '../app/operation-state.ts'
import { mergePreferences } from '../app/preferences.ts'
import { endOf, sessionEnd } from '../app/session-end.ts'
import { openHub } from './hub.ts'
import { refreshAfter, refreshMissed } from './stale.ts'
import { countRefresh, setConnection, setRecent, setSilent, setSpeeds } from './store.ts'

/** Minimum interval between refreshes of reports, however fast downloads arrive. */
let reportsEveryMs = 5000

/** Applies the refresh rate of the preferences, from the next event on. */
export function setReportsEvery(everyMs: number): void {
  reportsEveryMs = everyMs
}

/** Calls at once, and once more after the interval if further calls came meanwhile. */
function throttle(everyMs: () => number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const run = () => {
    timer = setTimeout(() => {
      timer = undefined
      if (!isWanted) return
      isWanted = false
      run()
    }, everyMs())
    action()
  }
  return () => {
    if (timer === undefined) run()
    else isWanted = true
  }
}

async function readSpeeds(): Promise<void> {
  try {
    const [speeds, { items }] = await Promise.all([
      unwrap(api.Speeds.current.get()),
      unwrap(api.ext.speeds.recent.get()),
    ])
    setRecent(items)
    setSpeeds(speeds)
  } catch {
    // The next event loads them; the connection state already shows a failure.
  }
}

/** Events whose payload is used; all others only make queries stale. */
const handlersOf = (
  queries: QueryClient,
): { readonly [Event in EventName]?: (data: PayloadOf<Event>) => void } => ({
  DownloadSpeedUpdate: setSpeeds,
  OperationUpdated: (operation) => {
    queries.setQueryData<OperationsOverview>(keys.operations, (overview) =>
      mergeOperation(overview, operation),
    )
    // A response in flight may still list the job as running, and would stay.
    if (isOver(operation)) void queries.invalidateQueries({ queryKey: keys.operations })
  },
  UserPreferencesUpdated: ({ sessionId, preferences }) =>
    queries.setQueryData<UserPreferences>([...keys.preferences, sessionId.toLowerCase()], (held) =>
      mergePreferences(held, preferences),
    ),
  GuestPrefillPermissionChanged: ({ sessionId }) => {
    const own = queries.getQueryData<AuthStatus>(keys.status)?.sessionId?.toLowerCase()
    // The end of a session closes its connection.
    if (sessionId.toLowerCase() === own) void queries.invalidateQueries({ queryKey: keys.status })
  },
})

/** Connects the hub with the query cache; returns a function that stops it. */
export function startLive(queries: QueryClient): () => void {
  const refreshReports = throttle(
    () => reportsEveryMs,
    () => {
      countRefresh()
      for (const queryKey of keys.reports) void queries.invalidateQueries({ queryKey })
    },
  )
  const refreshAll = () => {
    countRefresh()
    refreshMissed(queries, keys.reports)
  }
  // Frames come from our own service: their names and payloads are in the event catalogue.
  const handlers = handlersOf(queries) as Partial<Record<string, (data: unknown) => void>>
  const frame = (event: string, data: unknown) => {
    handlers[event]?.(data)
    refreshAfter(queries, { event: event as EventName, data }, refreshReports)
  }
  const url = new URL('/hubs/downloads', location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return openHub(url.href, {
    frame,
    state: setConnection,
    silent: setSilent,
    opened: (isAgain) => {
      void readSpeeds()
      if (isAgain) refreshAll()
      else refreshMissed(queries)
    },
    ended: (reason) => {
      const isGuest = queries.getQueryData<AuthStatus>(keys.status)?.sessionType === 'guest'
      sessionEnd.set(endOf(reason, isGuest))
      void queries.invalidateQueries({ queryKey: keys.status })
    },
    refused: () =>
      void queries.invalidateQueries({ queryKey: keys.status }).then(() => {
        // Only the socket fails, for example behind a proxy that passes on none.
        if (queries.getQueryState(keys.status)?.status === 'success') refreshAll()
      }),
  })
}
