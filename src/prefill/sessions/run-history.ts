import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { CatalogueEngine } from '../../engines/catalogue/contract.ts'
import type { Progress } from '../protocol/progress.ts'
import type { Announcer } from './announcer.ts'
import type { DepotStore } from './depot-store.ts'
import type { AppEnd, HistoryStore } from './history-store.ts'
import type { LiveSession, Run, RunOutcome } from './state.ts'
import { isCachedResult } from './view.ts'

/** A game that was finished so short a time ago is not opened again by a late event. */
const reopenAfterMs = 5000
/** The largest id of a depot: an unsigned 32-bit number. */
const depotIdMax = 4_294_967_295

interface Parts {
  clock: Clock
  log: Logger
  announcer: Announcer
  history: HistoryStore
  depots: DepotStore
  catalogue: Pick<CatalogueEngine, 'addUses'>
}

/** Writes the games of a run into the history. A store that fails does not end a run. */
export class RunHistory {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the history of a prefill was not written')
    }
  }

  #closeOpen(session: LiveSession, run: Run, end: Pick<AppEnd, 'status'> & Partial<AppEnd>): void {
    const { open } = run
    if (open === null) return
    run.open = null
    run.finished.set(open.appId, this.#parts.clock.elapsedMs())
    run.finishedBytes += end.bytes ?? open.bytes
    this.#guarded(() => {
      const { bytes = open.bytes, totalBytes = open.totalBytes } = end
      this.#parts.history.close(open.rowId, { ...end, bytes, totalBytes })
    })
    this.#parts.announcer.history(session, open.appId, end.status)
  }

  #open(session: LiveSession, run: Run, progress: Progress, appId: string): void {
    const { bytesDownloaded, totalBytes } = progress
    this.#guarded(() => {
      const { currentAppName: appName } = progress
      const rowId = this.#parts.history.open(session.id, { appId, appName }, run.schedule)
      run.open = { rowId, appId, bytes: bytesDownloaded, totalBytes }
    })
    this.#parts.announcer.history(session, appId, 'InProgress')
  }

  /**
   * A game is being read or downloaded: its row, which is opened if it is not open. False: the
   * progress is about none, or about one that was just finished.
   */
  follow(session: LiveSession, run: Run, progress: Progress): boolean {
    const appId = progress.currentAppId
    if (appId === null) return false
    if (run.open?.appId !== appId) {
      const finishedMs = run.finished.get(appId)
      const isLate =
        finishedMs !== undefined && this.#parts.clock.elapsedMs() - finishedMs < reopenAfterMs
      if (isLate) return false
      this.#closeOpen(session, run, { status: (run.open?.bytes ?? 0) > 0 ? 'Completed' : 'Cached' })
      this.#open(session, run, progress, appId)
    }
    if (run.open !== null) {
      run.open.bytes = Math.max(run.open.bytes, progress.bytesDownloaded)
      run.open.totalBytes = Math.max(run.open.totalBytes, progress.totalBytes)
    }
    return true
  }

  #record(session: LiveSession, progress: Progress): void {
    const { currentAppId, depots: found, result, state } = progress
    const isCurrent =
      result === 'Success' || result === 'AlreadyUpToDate' || state === 'already_cached'
    const appId = Number(currentAppId)
    if (!isCurrent || currentAppId === null || !Number.isSafeInteger(appId)) return
    const known = found.filter(({ depotId }) => Number(depotId) <= depotIdMax)
    this.#guarded(() => {
      for (const { depotId, manifestId } of known) {
        this.#parts.depots.record({
          depotId: Number(depotId),
          manifestId,
          appId: currentAppId,
          appName: progress.currentAppName,
          // Daemons do not say how large a depot is.
          totalBytes: null,
          cachedAt: this.#parts.clock.now(),
          cachedBy: session.username ?? session.accountUsername,
        })
      }
    })
    if (known.length > 0)
      void this.#noteUses(
        appId,
        known.map(({ depotId }) => Number(depotId)),
      )
  }

  async #noteUses(appId: number, depotIds: number[]): Promise<void> {
    const { catalogue, clock, log } = this.#parts
    try {
      await catalogue.addUses({ appId, depotIds, at: clock.now().getTime() })
    } catch (error) {
      log.warn({ err: error, appId }, 'depots of a prefill were not noted')
    }
  }

  /** A game is finished. */
  finish(session: LiveSession, run: Run, progress: Progress): void {
    if (!this.follow(session, run, progress)) return
    const failed = progress.result === 'Failed'
    const status = failed ? 'Failed' : isCachedResult(progress) ? 'Cached' : 'Completed'
    const seen = run.open?.bytes ?? 0
    const bytes = status === 'Completed' ? progress.bytesDownloaded || seen : seen
    const errorMessage = failed ? progress.errorMessage : null
    this.#closeOpen(session, run, { status, bytes: status === 'Cached' ? 0 : bytes, errorMessage })
    if (!failed) this.#record(session, progress)
  }

  /** The run is over: closes the row that is still open. */
  end(session: LiveSession, run: Run, { state, errorMessage }: RunOutcome): void {
    this.#guarded(() => this.#parts.history.prune())
    if (run.open === null) return
    const done = run.open.bytes > 0 ? 'Completed' : 'Cached'
    const status = state === 'failed' ? 'Failed' : state === 'cancelled' ? 'Cancelled' : done
    this.#closeOpen(session, run, {
      status,
      errorMessage: state === 'failed' ? errorMessage : null,
    })
  }
}
