import { AppError } from '../../core/http/errors.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'
import type { RunRequest, StartPrefillBody } from './model.ts'
import { failureText } from './refusals.ts'
import { runningText } from './runs.ts'
import type { Sessions } from './sessions.ts'
import type { Run, RunResult } from './run.ts'
import type { LiveSession } from './state.ts'

export interface StartedRun {
  operationId: string
  isQueued: boolean
  result: Promise<RunResult>
  /** Ends the run, or keeps it from beginning. */
  cancel(): void
}

/**
 * Operating systems in lower case; null: none was named. The daemon knows which there are, and says
 * that a game is not for a system that it does not know.
 */
export function systemsOf(wanted: readonly string[] | null | undefined): string[] | null {
  const names = (wanted ?? []).map((name) => name.trim().toLowerCase())
  const named = [...new Set(names)].filter((name) => name !== '')
  return named.length === 0 ? null : named
}

export const runRequestOf = (body: StartPrefillBody): RunRequest => ({
  all: body.all ?? false,
  recent: body.recent ?? false,
  recentlyPurchased: body.recentlyPurchased ?? false,
  force: body.force ?? false,
  top: body.top ?? null,
  operatingSystems: systemsOf(body.operatingSystems),
  maxConcurrency: body.maxConcurrency ?? null,
  cache: body.cache ?? null,
})

const usesSelection = ({ all, recent, recentlyPurchased, top }: RunRequest): boolean =>
  !all && !recent && !recentlyPurchased && top === null

/** Published daemons that take one command at a time keep their old selection instead. */
function checkSelection({ platform, selectedAppIds }: LiveSession, request: RunRequest): void {
  const isEmpty = selectedAppIds !== null && selectedAppIds.length === 0
  if (isEmpty && usesSelection(request) && serviceFacts[platform].isOneAtATime) {
    throw new AppError('conflict', 'No games are selected')
  }
}

/** Throws AppError `conflict` unless the session can be used. */
export function usable(session: LiveSession): LiveSession {
  if (session.status === 'Active') return session
  throw new AppError('conflict', session.errorMessage ?? 'The session has ended')
}

const resultOf = ({ state, errorMessage, bytes }: RunResult): OperationResult => {
  if (state === 'cancelled') return { kind: 'cancelled' }
  if (state === 'failed') return { kind: 'failed', error: errorMessage ?? 'Prefill failed' }
  return { kind: 'completed', context: { bytes } }
}

const jobOf = ({ id, platform }: LiveSession, sessions: Sessions) => ({
  type: 'prefill' as const,
  scope: id,
  ...named('prefill', { platform: platformFacts[platform].title }),
  outlives: () => sessions.isReleased((_, session) => session.id === id),
})

const notRun = { errorMessage: null, seconds: 0, bytes: 0 }

/** Runs as jobs of the service: they are listed, wait for what excludes them, and can be cancelled. */
export class RunJobs {
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  /** Jobs that have not begun. */
  readonly #pending = new Map<string, (result: RunResult) => void>()

  constructor(parts: PrefillParts, sessions: Sessions) {
    this.#parts = parts
    this.#sessions = sessions
  }

  start(): void {
    const { operations } = this.#parts
    operations.onChange(() => {
      for (const [id, resolve] of this.#pending) {
        // A job that is cancelled before it begins never runs.
        const status = operations.get(id)?.status
        if (status !== 'cancelled' && status !== 'failed') continue
        this.#pending.delete(id)
        resolve({ ...notRun, state: 'cancelled' })
      }
    })
  }

  /** Guests are capped; without a number the cap is sent. */
  #capped(session: LiveSession, request: RunRequest): RunRequest {
    if (!session.isTemporary) return request
    const max = this.#parts.users.threadsMax(session.userId, session.platform)
    if (max === null) return request
    return { ...request, maxConcurrency: Math.min(request.maxConcurrency ?? max, max) }
  }

  async #run(session: LiveSession, request: RunRequest, signal: AbortSignal): Promise<RunResult> {
    try {
      const { runs } = this.#sessions
      return await runs.start(usable(session), this.#capped(session, request), { signal })
    } catch (error) {
      this.#parts.log.warn({ err: error, sessionId: session.id }, 'a prefill did not start')
      return { ...notRun, state: 'failed', errorMessage: failureText(error) }
    }
  }

  /** Shows a run that an earlier process started. Throws OperationRefused. */
  takeUp(session: LiveSession, { ended }: Run): void {
    const { operations } = this.#parts
    const { runs } = this.#sessions
    const job = jobOf(session, this.#sessions)
    runs.takenUp.delete(session)
    operations.submit({
      ...job,
      continues: operations.held(job.type).find(({ scope }) => scope === job.scope)?.id,
      run: async ({ signal }) => resultOf(await runs.join(session, ended, signal)),
    })
  }

  /**
   * Starts a run. Throws AppError `conflict` while the session, or another one of the same daemon,
   * has a run, and OperationRefused.
   */
  submit(session: LiveSession, request: RunRequest): StartedRun {
    usable(session)
    this.#sessions.runs.checkFree(session)
    checkSelection(session, request)
    const { operations } = this.#parts
    const { promise: result, resolve } = Promise.withResolvers<RunResult>()
    const { operationId, alreadyRunning, queued } = operations.submit({
      ...jobOf(session, this.#sessions),
      run: async (context) => {
        this.#pending.delete(context.operationId)
        const ended = await this.#run(session, request, context.signal)
        resolve(ended)
        return resultOf(ended)
      },
    })
    if (alreadyRunning) throw new AppError('conflict', runningText)
    this.#pending.set(operationId, resolve)
    const cancel = () => void operations.cancel(operationId)
    return { operationId, isQueued: queued, result, cancel }
  }
}
