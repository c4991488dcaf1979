import type { QueryClient } from '@tanstack/react-query'
import type { AuthStatus, Operation, OperationsOverview, SpeedSnapshot } from '../api/wire.ts'
import { api, unwrap } from '../api/eden.ts'
import { keys } from '../api/keys.ts'
import { isOver, mergeOperation } from '../app/operation-state.ts'
import { endOf, noteSessionEnd } from '../app/session-end.ts'
import { noteAccessEvent } from './access-events.ts'
import { noteCacheEvent } from './cache-events.ts'
import { noteClientEvent } from './client-events.ts'
import { openHub } from './hub.ts'
import { countRefresh, setConnection, setSpeeds } from './store.ts'

/** Reports are asked for again at most this often, however fast downloads are stored. */
let reportsEveryMs = 5000

/** The refresh rate of the preferences; takes effect with the next news. */
export function setReportsEvery(everyMs: number): void {
  reportsEveryMs = everyMs
}

/** Calls at once, and once more at the end when more calls came meanwhile. */
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
    setSpeeds(await unwrap(api.Speeds.current.get()))
  } catch {
    // The next event brings them; a broken connection already shows at the dot.
  }
}

/** Connects the hub with the query cache; the answer stops it. */
export function startLive(queries: QueryClient): () => void {
  const refreshReports = throttle(
    () => reportsEveryMs,
    () => {
      countRefresh()
      for (const queryKey of keys.reports) void queries.invalidateQueries({ queryKey })
    },
  )
  const frame = (event: string, data: unknown) => {
    // Frames come from our own server; their shapes are the contract's.
    if (event === 'DownloadSpeedUpdate') setSpeeds(data as SpeedSnapshot)
    else if (noteCacheEvent(queries, event, data)) {
      // The end of a job is told by its operation as well.
    } else if (noteClientEvent(queries, event, data)) {
      // Groups and names change no figure of the whole.
    } else if (event === 'DownloadsRefresh' || event === 'LogProcessingComplete') refreshReports()
    else if (event === 'OperationUpdated') {
      queries.setQueryData<OperationsOverview>(keys.operations, (overview) =>
        mergeOperation(overview, data as Operation),
      )
      // An answer that was on its way may know the job as running only, and would stay.
      if (isOver(data as Operation)) {
        void queries.invalidateQueries({ queryKey: keys.operations })
      }
    } else if (event === 'HistoryStatusChanged') {
      void queries.invalidateQueries({ queryKey: keys.service })
      refreshReports()
    } else if (noteAccessEvent(queries, event, data)) {
      // Sessions, guests and preferences have rules of their own.
    } else if (/^(Event(Created|Updated|Deleted)|EventsCleared|DownloadTagged)$/.test(event)) {
      void queries.invalidateQueries({ queryKey: keys.events })
    } else if (event === 'DirectoryPermissionsChanged') {
      void queries.invalidateQueries({ queryKey: keys.config })
    }
  }
  const url = new URL('/hubs/downloads', location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return openHub(url.href, {
    frame,
    state: setConnection,
    opened: (isAgain) => {
      void readSpeeds()
      if (!isAgain) return
      void queries.invalidateQueries({ queryKey: keys.service })
      void queries.invalidateQueries({ queryKey: keys.operations })
      void queries.invalidateQueries({ queryKey: keys.cache })
      refreshReports()
    },
    ended: (reason) => {
      const isGuest = queries.getQueryData<AuthStatus>(keys.status)?.sessionType === 'guest'
      noteSessionEnd(endOf(reason, isGuest))
      void queries.invalidateQueries({ queryKey: keys.status })
    },
    refused: () => void queries.invalidateQueries({ queryKey: keys.status }),
  })
}
