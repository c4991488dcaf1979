import { HistorySlow, HistoryUnavailable } from '../../../db/history/history.ts'
import { EngineAway } from '../../engines/host.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { filled } from '../lib/phrases.ts'
import type { Timers } from '../lib/timers.ts'
import type {
  OperationContext,
  OperationProgress,
  OperationResult,
  OperationView,
} from './contract.ts'
import { isOver, type Entry } from './entry.ts'
import { ProgressThrottle } from './progress.ts'
import { stageKey } from './stage-keys.ts'

interface Surroundings {
  clock: Clock
  timers: Timers
  log: Logger
}

interface Reporting {
  /** Applies new values at once, so that a status request sees them. */
  apply: (values: Partial<OperationView>) => void
  /** Stores and publishes them, as often as the throttle allows. */
  pass: (fields: OperationProgress['fields']) => void
}

/** A job that threw; `name` is its own. */
export const unexpectedFailure = '{name} failed unexpectedly; see the service’s log'

/** Whether a job failed because the history database was away. */
export const isWithoutHistory = ({ context }: Pick<OperationView, 'context'>): boolean =>
  context?.['reason'] === 'historyAway'

function historyFailure(error: HistoryUnavailable): OperationResult {
  const failure = { kind: 'failed', error: error.message } as const
  return error instanceof HistorySlow ? failure : { ...failure, context: { reason: 'historyAway' } }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** A percentage between the last one and 100; anything else keeps the last one. */
function advance(percent: number | undefined, shown: number): number {
  if (percent === undefined || !Number.isFinite(percent)) return shown
  return Math.min(100, Math.max(shown, percent))
}

/** Runs a job in a later tick, so that its caller knows the id first. Never rejects. */
export async function runJob(
  entry: Entry,
  { clock, timers, log }: Surroundings,
  { apply, pass }: Reporting,
): Promise<OperationResult> {
  const throttle = new ProgressThrottle({ clock, timers }, pass)
  entry.throttle = throttle
  const context: OperationContext = {
    operationId: entry.view.id,
    signal: entry.controller.signal,
    report({ percentComplete, stageKey, context, message, fields }) {
      // A killed job may still report.
      if (isOver(entry.view)) return
      const { view } = entry
      apply({
        percentComplete: advance(percentComplete, view.percentComplete),
        stageKey: stageKey ?? view.stageKey,
        context: context ?? view.context,
        message: message ?? view.message,
      })
      throttle.offer(fields)
    },
  }
  await Promise.resolve()
  try {
    const isNotNeeded = entry.controller.signal.aborted && !entry.isContinued
    if (isNotNeeded) return { kind: 'cancelled' }
    return await entry.request.run(context)
  } catch (error) {
    if (entry.controller.signal.aborted && isAbort(error)) return { kind: 'cancelled' }
    if (error instanceof HistoryUnavailable) return historyFailure(error)
    const { id, type, scope } = entry.view
    log.error({ err: error, operationId: id, type, scope }, 'operation failed')
    if (error instanceof EngineAway) return { kind: 'failed', error: error.message }
    return { kind: 'failed', error: filled(unexpectedFailure, { name: entry.view.name }) }
  }
}

/** The final values of a job's row. */
export function outcomeOf(result: OperationResult, view: OperationView): Partial<OperationView> {
  const { kind } = result
  if (kind === 'cancelled') return { status: kind, stageKey: stageKey(view, 'cancelled') }
  const context = result.context ?? view.context
  if (kind === 'failed') {
    const stage = result.stageKey ?? stageKey(view, 'error.fatal')
    return { status: kind, stageKey: stage, context, error: result.error }
  }
  const done = {
    status: kind,
    percentComplete: 100,
    context,
    message: result.message ?? view.message,
  }
  if (kind === 'skipped') {
    return { ...done, stageKey: result.stageKey ?? stageKey(view, 'skipped') }
  }
  return { ...done, stageKey: result.stageKey ?? stageKey(view, 'complete') }
}
