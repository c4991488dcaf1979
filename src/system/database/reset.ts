/*
 * A reset empties both stores together. The log engine truncates the history and begins its
 * positions anew over one connection, whether or not both agreed before; a note in the settings
 * lets the next start continue an interrupted reset. Counters, downloads and sums are one set of
 * facts: the documented tables for them are cleared together, and `LogEntries` among them means
 * that existing logs are counted again.
 */
import { requireChoice } from '../../core/http/choice.ts'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { jobStatusOf } from '../../core/operations/scan-status.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { SystemParts } from '../parts.ts'
import {
  countedTables,
  resetSteps,
  resetTables,
  type ResetParts,
  type ResetPlan,
} from './tables.ts'

const isKnown = (name: string): name is ResetPlan['tables'][number] =>
  resetTables.some((table) => table === name)

const stageOf = (stage: string) => `signalr.dbReset.${stage}`

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)

type Parts = ResetParts & Pick<SystemParts, 'clock' | 'log' | 'operations' | 'reports'>

type ResetStatus = ReturnType<typeof statusOf>

function statusOf({ operations }: Pick<Parts, 'operations'>) {
  const active = operations.active('databaseReset')
  const context = active?.context ?? {}
  return {
    ...jobStatusOf(active),
    tablesCleared: numberOf(context['tablesCleared']),
    totalTables: numberOf(context['totalTables']),
    filesDeleted: numberOf(context['filesDeleted']),
  }
}

/** Runs the steps of a plan. Reports after each; stops between two when cancelled. */
async function clear(parts: Parts, plan: ResetPlan, { report, signal }: OperationContext) {
  const steps = resetSteps(parts).filter(
    ({ tables }) => tables.length === 0 || tables.some((table) => plan.tables.includes(table)),
  )
  const counts = { tablesCleared: 0, totalTables: plan.tables.length, filesDeleted: 0 }
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) return { isComplete: false, counts }
    counts.filesDeleted += (await step.run(plan)) ?? 0
    const cleared = step.tables.filter((table) => plan.tables.includes(table))
    counts.tablesCleared += cleared.length
    report({
      percentComplete: ((index + 1) / steps.length) * 100,
      stageKey: stageOf(step.stage),
      context: { ...counts, tableName: cleared.join(', ') },
      fields: { ...counts, isProcessing: true, timestamp: parts.clock.now().toISOString() },
    })
  }
  return { isComplete: true, counts }
}

function failure(error: unknown, cleared: string): OperationResult {
  if (error instanceof HistoryUnavailable) {
    throw new HistoryUnavailable(`${error.message}. ${cleared}`, { cause: error })
  }
  if (!(error instanceof EngineFailure)) throw error
  return {
    kind: 'failed',
    stageKey: stageOf('failed'),
    error: `${error.message}. ${cleared}`,
    context: { errorDetail: error.message },
  }
}

async function run(parts: Parts, plan: ResetPlan, context: OperationContext) {
  const { history, games, log, reports, settings } = parts
  if (plan.tables.length === 0) {
    const error = 'None of these tables exists'
    return { kind: 'failed', stageKey: stageOf('noTablesSelected'), error } as const
  }
  // Most steps need it: without it nothing is begun.
  if (history.status().state !== 'ready') {
    throw new HistoryUnavailable('The history database is unavailable; nothing was changed')
  }
  settings.set('database.pendingReset', plan)
  try {
    const { isComplete, counts } = await clear(parts, plan, context)
    log.warn({ ...counts, isComplete }, 'the database was reset')
    if (!isComplete) return { kind: 'cancelled', fields: counts } as const
    const message = `Tables cleared: ${counts.tablesCleared}`
    const facts = { context: counts, fields: counts, message }
    return { kind: 'completed', stageKey: stageOf('complete'), ...facts } as const
  } catch (error) {
    return failure(error, 'Tables that were reported before are cleared')
  } finally {
    settings.set('database.pendingReset', null)
    reports.dropAll()
    games.forget()
  }
}

export type DatabaseReset = ReturnType<typeof createDatabaseReset>

/** Resets of the database: of everything, or of some tables; accounts and settings stay. */
export function createDatabaseReset(parts: Parts) {
  const { history, log, operations, settings } = parts

  function submit(plan: ResetPlan): Queued {
    const name = plan.isWhole
      ? named('databaseReset')
      : named('databaseResetTables', { tables: plan.tables.join(', ') })
    return operations.submit({
      type: 'databaseReset',
      scope: 'bulk',
      variant: plan.isWhole ? 'all' : plan.tables.join(),
      ...name,
      events: { prefix: 'DatabaseReset' },
      run: (context) => run(parts, plan, context),
    })
  }

  /** The tables that were cleared before are empty: clearing them again changes nothing. */
  function resume(): void {
    const pending = settings.get('database.pendingReset')
    if (pending === null || history.status().state !== 'ready') return
    if (operations.active('databaseReset') !== null) return
    log.warn({ tables: pending.tables }, 'a reset of the database was interrupted; it continues')
    submit({ ...pending, tables: pending.tables.filter(isKnown) })
  }

  return {
    /** Continues a reset that the end of the process interrupted. */
    start(): void {
      if (settings.get('database.pendingReset') !== null) history.onStatus(resume)
    },
    all: (): Queued => submit({ tables: [...resetTables], isWhole: true }),
    /** Throws `invalid` without any name, and for sums of downloads without the downloads. */
    some(names: string[]): Queued {
      if (names.length === 0) throw new AppError('invalid', 'No tables were named')
      const wanted = new Set(names.map((name) => requireChoice(resetTables, name, 'tables')))
      const tables = resetTables.filter((table) => wanted.has(table))
      const sums = tables.filter((table) => countedTables.includes(table))
      if (sums.length > 0 && !sums.includes('Downloads')) {
        const text = `${sums.join(', ')} can only be cleared together with Downloads; name it as well`
        throw new AppError('invalid', text)
      }
      return submit({ tables, isWhole: false })
    },
    status: (): ResetStatus => statusOf(parts),
  }
}
