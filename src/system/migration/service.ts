import type { HistoryTarget } from '../../../db/history/connect.ts'
import { AppError, operationConflict, unavailable } from '../../core/http/errors.ts'
import { conflict } from '../../core/operations/conflicts.ts'
import { unfinished } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { jobStatusOf } from '../../core/operations/scan-status.ts'
import type { SystemParts } from '../parts.ts'
import { parseConnectionString } from './connection-string.ts'
import { batchRows, type ConnectionCheck, type ImportOutcome, type Overlap } from './model.ts'
import { runImport, type Ended, type ImportRequest } from './import-run.ts'
import { sumsOf } from './counts.ts'
import { findOverlap } from './overlap.ts'
import { openSource, SourceRefused, type Source } from './source.ts'

type Parts = Pick<SystemParts, 'clock' | 'history' | 'log' | 'operations' | 'reports' | 'settings'>

const task = { type: 'dataImport', scope: 'bulk' } as const

function interruptedText({ settings }: Parts): string | null {
  const left = settings.get('migration.unfinished')
  if (left === null) return null
  const done = sumsOf(left).processed
  return (
    `The last import ended after ${done} of ${left.totalRecords} downloads. ` +
    'Importing from the same database again continues there'
  )
}

function statusOf(parts: Parts) {
  const active = parts.operations.active(task.type)
  const message = active === null ? interruptedText(parts) : active.message
  return { ...jobStatusOf(active), message }
}

/** Null while the history is unavailable: an import needs it anyway. Closes the source. */
async function overlapOf({ history }: Parts, source: Source): Promise<Overlap | null> {
  try {
    if (history.status().state !== 'ready') return null
    return await history.read((_db, sql) => findOverlap(source, sql))
  } finally {
    await source.close()
  }
}

function overlapText(overlap: Overlap | null): string {
  if (overlap === null) return ''
  const { downloads, firstLineUtc, days, services } = overlap
  const shared = days === 0 ? '' : ` Both have counted ${services.join(', ')} on ${days} days.`
  return (
    `. ${downloads} of them began after Larder's first line (${firstLineUtc}) and are left out ` +
    `unless asked for.${shared}`
  )
}

/** An import does not wait for other jobs: its caller would not know for how long. */
function refuseConflict({ operations }: Parts): void {
  for (const other of operations.list()) {
    const reason = unfinished.has(other.status) ? conflict(task, other) : null
    if (reason === null) continue
    const text = 'Another operation that excludes an import is under way'
    throw operationConflict(text, other, reason)
  }
}

export type Migration = ReturnType<typeof createMigration>

/** Imports of downloads from another instance's database. */
export function createMigration(parts: Parts) {
  const { clock, history, operations } = parts

  /** Submits the job; resolves when it is over, however it ends. */
  function submitted(target: HistoryTarget, request: ImportRequest, progressed: () => void) {
    const over = Promise.withResolvers<Ended>()
    operations.submit({
      ...task,
      // Never joined: its caller waits for its own outcome.
      variant: `${clock.now().getTime()}`,
      ...named('dataImport'),
      events: { prefix: 'DataImport', startedFields: { importType: 'postgres' } },
      async run(context) {
        try {
          const { result, ended } = await runImport(parts, target, { request, context, progressed })
          over.resolve(ended)
          return result
        } catch (error) {
          over.reject(error)
          throw error
        }
      },
    })
    return over.promise
  }

  return {
    /** Throws `invalid` for a blank connection string. */
    async check(text: string): Promise<ConnectionCheck> {
      try {
        const source = await openSource(parseConnectionString(text))
        const overlap = await overlapOf(parts, source)
        const { count } = source
        const message = `${count} downloads can be imported${overlapText(overlap)}`
        return { valid: true, message, recordCount: count, overlap }
      } catch (error) {
        const isMalformed = error instanceof AppError && text.trim() !== ''
        if (!isMalformed && !(error instanceof SourceRefused)) throw error
        return { valid: false, message: error.message, recordCount: null, overlap: null }
      }
    },
    /**
     * Resolves when the import is over; `progressed` is called for each batch. Throws `invalid`,
     * `conflict`, `unavailable`.
     */
    async importFrom(request: ImportRequest, progressed: () => void): Promise<ImportOutcome> {
      const target = parseConnectionString(request.connectionString)
      if (history.status().state !== 'ready') {
        throw unavailable('The history database is not available at the moment')
      }
      const { host, port, database } = history.connection()
      if (target.host === host && target.port === port && target.database === database) {
        throw new AppError('invalid', 'This is the database that Larder itself uses')
      }
      refuseConflict(parts)
      const batchSize = Math.min(request.batchSize, batchRows.most)
      const ended = await submitted(target, { ...request, batchSize }, progressed)
      if ('outcome' in ended) return ended.outcome
      throw new AppError('invalid', ended.problem)
    },
    status: (): ReturnType<typeof statusOf> => statusOf(parts),
  }
}
