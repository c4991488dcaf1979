/*
 * A repeated import counts nothing twice. Ids of imported downloads follow from their content and
 * lie above those of the log engine, so a repeated or continued import finds them. By default an
 * import ends before the first download that Larder counted from logs of the same datasource; a
 * datasource that has none ends before the first of all, since the same cache may have another
 * name in the source. Where the later time is asked for as well, a download that Larder counted is
 * found by client, start, service and title. The bytes of an imported download stand in the five
 * minutes of its start.
 */
import type { ImportOutcome } from './model.ts'
import { openClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { describeFailure, failureKind } from '../../../db/history/failures.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import type { SystemParts } from '../parts.ts'
import { sumsOf, type Counts } from './counts.ts'
import { firstLines } from './overlap.ts'
import { openSource, SourceRefused, type Source, type SourceRow } from './source.ts'
import { createWriter } from './write.ts'

export type ImportParts = Pick<SystemParts, 'history' | 'log' | 'reports' | 'settings'>

const statementTimeoutMs = 60_000
/** Before every row. */
const beginning = '-infinity'

export interface ImportRequest {
  connectionString: string
  batchSize: number
  overwrites: boolean
  /** Also downloads of the time that Larder has counted itself. */
  takesOverlap: boolean
}

/** Identifies source and way of import without revealing them. */
const fingerprint = (
  { host, port, database }: HistoryTarget,
  { overwrites, takesOverlap }: ImportRequest,
): string =>
  new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([host, port, database, overwrites, takesOverlap]))
    .digest('hex')

/** An outage of a server as SourceRefused; any other error as it is. */
const readable = (error: unknown, target: HistoryTarget): unknown =>
  failureKind(error) === 'other' ? error : new SourceRefused(describeFailure(error, target))

/** Follows how far the source was read. A run may end between downloads that began together. */
function createPlace(begun: Pick<Run, 'mark' | 'atMark'>) {
  let { mark } = begun
  let atMark = 0
  let left = begun.atMark
  return {
    /** Returns how many of the first rows an earlier run dealt with. */
    advance(rows: SourceRow[]): number {
      const other = rows.findIndex((row) => row.mark !== begun.mark)
      const done = Math.min(left, other === -1 ? rows.length : other)
      left = other === -1 ? left - done : 0
      const last = rows.at(-1)?.mark ?? mark
      const same = rows.length - 1 - rows.findLastIndex((row) => row.mark !== last)
      atMark = last === mark && same === rows.length ? atMark + same : same
      mark = last
      return done
    },
    now: () => ({ mark, atMark: atMark + left }),
  }
}

/** Notes how far the import got, for its operation and for a next run. */
function report({ settings }: ImportParts, run: Run, place: Pick<Run, 'mark' | 'atMark'>): void {
  const { key, totalRecords, counts, context } = run
  settings.set('migration.unfinished', { key, ...place, totalRecords, ...counts })
  run.progressed()
  const { imported, skipped, processed } = sumsOf(counts)
  // Downloads may be added to the source meanwhile.
  const total = Math.max(totalRecords, processed)
  context.report({
    percentComplete: total === 0 ? 100 : (processed / total) * 100,
    stageKey: 'signalr.dataImport.progress',
    context: { processed, total, reasons: { ...counts.reasons } },
    message: `${processed} of ${total} downloads`,
    fields: {
      recordsProcessed: processed,
      totalRecords: total,
      recordsImported: imported,
      recordsSkipped: skipped,
    },
  })
}

/** Reads the source batch by batch; notes after each how far it got. False: it was cancelled. */
async function copy(parts: ImportParts, source: Source, run: Run): Promise<boolean> {
  const { history } = parts
  const { request, counts, context } = run
  const target = history.connection()
  const sql = openClient(target, { name: 'import', connections: 1, statementTimeoutMs })
  const own = { failure: null as unknown }
  try {
    const limits = request.takesOverlap ? null : await firstLines(sql)
    const write = createWriter(sql, { overwrites: request.overwrites, limits, counts })
    const place = createPlace(run)
    await source.read({ mark: run.mark, batch: request.batchSize }, async (rows) => {
      if (context.signal.aborted) return false
      await write(rows, place.advance(rows)).catch((error: unknown) => {
        own.failure = error
        throw error
      })
      report(parts, run, place.now())
      return true
    })
  } catch (error) {
    throw own.failure === null ? error : readable(own.failure, target)
  } finally {
    await sql.end({ timeout: 1 })
  }
  return !context.signal.aborted
}

interface Run {
  request: ImportRequest
  key: string
  /** Where the source continues: with this start, after so many downloads that have it. */
  mark: string
  atMark: number
  totalRecords: number
  counts: Counts
  context: OperationContext
  progressed: () => void
}
export type Ended = { outcome: ImportOutcome } | { problem: string }

/** Continues an import from the same source that did not get to its end. */
function beginningOf(
  { settings }: ImportParts,
  key: string,
): Pick<Run, 'mark' | 'atMark' | 'counts'> {
  const left = settings.get('migration.unfinished')
  if (left?.key !== key) {
    return { mark: beginning, atMark: 0, counts: { imported: 0, reasons: {} } }
  }
  const { mark, atMark, imported, reasons } = left
  return { mark, atMark, counts: { imported, reasons: { ...reasons } } }
}

/** Runs an import to its end, or until it is cancelled; says how it ended. */
export async function runImport(
  parts: ImportParts,
  target: HistoryTarget,
  given: Pick<Run, 'request' | 'context' | 'progressed'>,
): Promise<{ result: OperationResult; ended: Ended }> {
  const { log, reports, settings } = parts
  const key = fingerprint(target, given.request)
  let source: Source | null = null
  const begun = beginningOf(parts, key)
  try {
    source = await openSource(target)
    const isComplete = await copy(parts, source, {
      ...given,
      ...begun,
      key,
      totalRecords: source.count,
    })
    if (isComplete) settings.set('migration.unfinished', null)
    const { imported, skipped, errors, processed } = sumsOf(begun.counts)
    const totalRecords = isComplete ? processed : Math.max(source.count, processed)
    const { reasons } = begun.counts
    const message =
      `${isComplete ? 'Imported' : 'Cancelled: imported'} ${imported} downloads, ` +
      `skipped ${skipped}, ${errors} errors`
    const outcome = { message, totalRecords, imported, skipped, errors, reasons }
    log.info({ ...outcome, isComplete }, 'downloads of another instance imported')
    const context = { recordsImported: imported, recordsSkipped: skipped, recordsErrors: errors }
    const fields = { ...context, totalRecords, reasons }
    if (!isComplete) return { result: { kind: 'cancelled', fields }, ended: { outcome } }
    return { result: { kind: 'completed', message, context, fields }, ended: { outcome } }
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    const result: OperationResult = { kind: 'failed', error: error.message }
    return { result, ended: { problem: error.message } }
  } finally {
    await source?.close()
    reports.dropAll()
  }
}
