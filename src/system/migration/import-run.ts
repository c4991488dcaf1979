import { openClient, type HistoryTarget } from '../../../db/history/connect.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { SystemParts } from '../parts.ts'
import { openSource, readable, SourceRefused, type Source } from './source.ts'
import { writeRows, type Counts } from './write.ts'

export type ImportParts = Pick<SystemParts, 'history' | 'log' | 'reports' | 'settings'>

const statementTimeoutMs = 60_000
/** Before every row. */
const beginning = '1970-01-01'

export interface ImportRequest {
  connectionString: string
  batchSize: number
  overwrites: boolean
}

export interface ImportOutcome extends Counts {
  message: string
  totalRecords: number
}

/** Identifies source and way of import without revealing them. */
const fingerprint = ({ host, port, database }: HistoryTarget, overwrites: boolean): string =>
  new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([host, port, database, overwrites]))
    .digest('hex')

const sumOf = ({ imported, skipped, errors }: Counts) => imported + skipped + errors

/** Reads the source batch by batch; notes after each how far it got. False: it was cancelled. */
async function copy(parts: ImportParts, source: Source, run: Run): Promise<boolean> {
  const { history, settings } = parts
  const { request, counts, context, progressed } = run
  const target = history.connection()
  const sql = openClient(target, { name: 'import', connections: 1, statementTimeoutMs })
  const { totalRecords } = run
  try {
    await source.read({ mark: run.mark, batch: request.batchSize }, async (rows) => {
      if (context.signal.aborted) return false
      await writeRows(sql, rows, { overwrites: request.overwrites, counts }).catch(
        (error: unknown) => Promise.reject(readable(error, target)),
      )
      const mark = rows.at(-1)?.mark ?? run.mark
      settings.set('migration.unfinished', { key: run.key, mark, totalRecords, ...counts })
      progressed()
      const processed = sumOf(counts)
      context.report({
        percentComplete: totalRecords === 0 ? 100 : (processed / totalRecords) * 100,
        stageKey: 'signalr.dataImport.progress',
        context: { processed, total: totalRecords },
        message: `${processed} of ${totalRecords} downloads`,
        fields: {
          recordsProcessed: processed,
          totalRecords,
          recordsImported: counts.imported,
          recordsSkipped: counts.skipped,
        },
      })
      return true
    })
  } finally {
    await sql.end({ timeout: 1 })
  }
  return !context.signal.aborted
}

interface Run {
  request: ImportRequest
  key: string
  /** Where the source continues. */
  mark: string
  totalRecords: number
  counts: Counts
  context: OperationContext
  progressed: () => void
}

export type Ended = { outcome: ImportOutcome } | { problem: string }

const textOf = ({ imported, skipped, errors }: Counts, isComplete: boolean) =>
  `${isComplete ? 'Imported' : 'Cancelled: imported'} ${imported} downloads, ` +
  `skipped ${skipped}, ${errors} errors`

/** Continues an import from the same source that did not get to its end. */
function beginningOf({ settings }: ImportParts, key: string): { mark: string; counts: Counts } {
  const left = settings.get('migration.unfinished')
  if (left?.key !== key) return { mark: beginning, counts: { imported: 0, skipped: 0, errors: 0 } }
  const { mark, imported, skipped, errors } = left
  return { mark, counts: { imported, skipped, errors } }
}

/** Runs an import to its end, or until it is cancelled; says how it ended. */
export async function runImport(
  parts: ImportParts,
  target: HistoryTarget,
  given: Pick<Run, 'request' | 'context' | 'progressed'>,
): Promise<{ result: OperationResult; ended: Ended }> {
  const { log, reports, settings } = parts
  const key = fingerprint(target, given.request.overwrites)
  let source: Source | null = null
  const { mark, counts } = beginningOf(parts, key)
  try {
    source = await openSource(target)
    const totalRecords = source.count
    const isComplete = await copy(parts, source, { ...given, key, mark, totalRecords, counts })
    if (isComplete) settings.set('migration.unfinished', null)
    const message = textOf(counts, isComplete)
    log.info({ ...counts, totalRecords, isComplete }, 'downloads of another instance imported')
    const fields = {
      recordsImported: counts.imported,
      recordsSkipped: counts.skipped,
      recordsErrors: counts.errors,
      totalRecords,
    }
    const ended = { outcome: { message, totalRecords, ...counts } }
    if (!isComplete) return { result: { kind: 'cancelled', fields }, ended }
    return { result: { kind: 'completed', message, fields }, ended }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    const result: OperationResult = { kind: 'failed', error: error.message }
    return { result, ended: { problem: error.message } }
  } finally {
    await source?.close()
    reports.dropAll()
  }
}
