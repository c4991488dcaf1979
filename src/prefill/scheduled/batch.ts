import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import { limitsOf } from './config.ts'
import { failuresText } from '../../core/lib/failures.ts'
import type { LastResult } from './named-model.ts'
import { ServiceRunner } from './service-run.ts'
import type { Stage, Step } from './steps.ts'
import { isUnnamed, keyOf, type Schedule, type ScheduleStore } from './store.ts'

interface Parts extends PrefillParts, SessionFeatures {
  store: ScheduleStore
}

export interface BatchContext extends OperationContext {
  showNotification: boolean
}

type Outcome = { schedule: Schedule; last: Step }

const titleOf = (schedule: Schedule) => {
  const { title } = platformFacts[schedule.platform]
  return isUnnamed(schedule) ? title : `${title}: ${schedule.name}`
}

const skipped = { kind: 'skipped', message: 'All enabled services were skipped' } as const

function resultOf(outcomes: readonly Outcome[]): OperationResult {
  const having = (stage: Stage) => outcomes.filter(({ last }) => last.stage === stage)
  const failed = having('failed')
  if (failed.length > 0) {
    // The name of a single schedule's run already says which.
    const isOne = outcomes.length === 1
    const failures = failed.map(({ schedule, last: { message } }) => ({
      schedule: isOne ? null : titleOf(schedule),
      reason: message,
    }))
    const why = failuresText(failures, (reason) => reason)
    const error = `One or more services failed during the run: ${why}`
    return { kind: 'failed', error, context: { reason: 'failed', failures } }
  }
  // All of them were deleted meanwhile.
  if (outcomes.length === 0) return { kind: 'cancelled' }
  if (having('completed').length > 0) return { kind: 'completed' }
  if (having('needs-login').length === outcomes.length) {
    const context = { reason: 'needsLogin' }
    return { kind: 'failed', error: 'All due services need login', context }
  }
  return skipped
}

const isOver = (stage: Stage): stage is LastResult['stage'] =>
  stage !== 'starting' && stage !== 'running'

/** What is kept of the step with which a run ended; null: it has not. */
export const lastOf = ({ stage, bytesDownloaded, endedAt, ...step }: Step, now: Date) => {
  const { message, messageKey, messageValues } = step
  const endedAtUtc = (endedAt ?? now).toISOString()
  const last = { message, messageKey, messageValues, bytesDownloaded, endedAtUtc }
  return isOver(stage) ? { stage, ...last } : null
}

/** Runs schedules one after the other, so that a platform never has two runs at one time. */
export class Batch {
  readonly #parts: Parts
  readonly #runner: ServiceRunner
  #current: { schedule: Schedule; deletion: AbortController } | null = null
  #isStopping = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#runner = new ServiceRunner(parts)
  }

  /** The schedule whose turn it is. */
  get current(): Schedule | null {
    return this.#current?.schedule ?? null
  }

  /** A run that ends from now on was not stopped by anyone; it counts as not attempted. */
  stop(): void {
    this.#isStopping = true
  }

  /** The run of this schedule is cancelled; the batch goes on with the next one. */
  noteDeleted(id: string): void {
    if (this.#current?.schedule.id === id) this.#current.deletion.abort()
  }

  async run(ids: readonly string[], context: BatchContext): Promise<OperationResult> {
    const { store, schedules, clock } = this.#parts
    if (ids.length === 0) return skipped
    const outcomes: Outcome[] = []
    for (const [index, id] of ids.entries()) {
      const schedule = store.find(id)
      if (schedule === null) continue
      const last = await this.#runOne(schedule, context, { index, count: ids.length })
      if (this.#isStopping) return { kind: 'cancelled' }
      this.#noteAttempt(schedule, lastOf(last, clock.now()))
      const isDeleted = store.find(id) === null
      if (context.signal.aborted || (last.stage === 'cancelled' && !isDeleted)) {
        const missed = ids.slice(index + 1).map((one) => store.find(one))
        for (const one of missed) if (one !== null) this.#noteAttempt(one, null)
        schedules.changed()
        return { kind: 'cancelled' }
      }
      if (!isDeleted) outcomes.push({ schedule, last })
    }
    schedules.changed()
    return resultOf(outcomes)
  }

  /** Successful or not, it moves the next run. `lastResult`: null when it did not get its turn. */
  #noteAttempt(schedule: Schedule, lastResult: LastResult | null): void {
    const { store, schedules, clock } = this.#parts
    if (store.find(schedule.id) === null) return
    const at = lastResult === null ? clock.now() : new Date(lastResult.endedAtUtc)
    store.note(schedule, {
      basisAt: at,
      ...(lastResult !== null && { lastResult }),
      ...(lastResult?.stage === 'completed' && { lastRunAt: at }),
    })
    schedules.noteRun(keyOf(schedule), at)
  }

  async #runOne(
    schedule: Schedule,
    context: BatchContext,
    { index, count }: { index: number; count: number },
  ): Promise<Step> {
    const { settings, log } = this.#parts
    const { platform, id: scheduleId, name: scheduleName } = schedule
    // Kept with the operation: after a kill it says whose run it was.
    const shownContext = { scheduleId }
    const { showNotification } = context
    const fields = { serviceId: platformFacts[platform].name, scheduleId, scheduleName }
    const report = (step: Step) => {
      const { percent, endedAt: _, ...shown } = step
      context.report({
        percentComplete: (100 * (index + percent / 100)) / count,
        message: step.message,
        context: shownContext,
        fields: { ...fields, ...shown, showNotification },
      })
    }
    const deletion = new AbortController()
    this.#current = { schedule, deletion }
    const run = {
      schedule,
      isRepeated: true,
      limits: limitsOf(settings.get('prefill.schedule')),
      signal: AbortSignal.any([context.signal, deletion.signal]),
      report,
    }
    const last = await this.#runner.run(run).finally(() => (this.#current = null))
    const { stage, message: reason } = last
    log.info({ platform, schedule: scheduleName, stage, reason }, 'scheduled prefill')
    report(last)
    return last
  }
}
