/*
 * Retention of the history by age, off by default. Single downloads and five-minute traffic of old
 * months are deleted; sums by hour, day, title, client and service stay, so totals do not change.
 * The instant since which everything is kept is stored before anything is deleted, and reports read
 * no finer rows of the time before it: figures are the same before, during and after a run, and a
 * run that is killed is continued by the next one. Downloads of events stay, for their reports.
 * That instant stands in the history, too, because it is true of it whichever state.sqlite is used.
 */
import type { Static } from '@sinclair/typebox'
import type { Sql } from 'postgres'
import { openClient } from '../../../db/history/connect.ts'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { describeFailure, failureKind } from '../../../db/history/failures.ts'
import { pause } from '../../core/lib/pause.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { DownloadsParts } from '../parts.ts'
import type { Reports } from '../reports/reports.ts'
import type { HistoryRetention, HistoryRetentionPreview } from './model.ts'
import {
  deleteBatch,
  dropPartition,
  mergeFailed,
  oldRows,
  readKeptSince,
  writeKeptSince,
  type Age,
} from './store.ts'

const everyHours = 6
/** Downloads deleted in one transaction. */
const batchSize = 5000
/** Failed attempts to drop partitions, each followed by a pause; what is left is for the next run. */
const dropAttempts = 30
const attemptEveryMs = 1000

type Parts = Pick<
  DownloadsParts,
  'clock' | 'config' | 'history' | 'hub' | 'log' | 'operations' | 'schedules' | 'settings'
>

const utc = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Start of the oldest month that is kept, Unix seconds. */
export function monthBefore(now: Date, months: number): number {
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1) / 1000
}

async function clear(sql: Sql, age: Age, { report, signal }: OperationContext) {
  const { downloads: total, partitions } = await oldRows(sql, age)
  let downloads = 0
  for (let from = 0; !signal.aborted;) {
    const deleted = await deleteBatch(sql, { ...age, from, size: batchSize })
    if (deleted.downloads === 0) break
    downloads += deleted.downloads
    from = deleted.from
    report({ percentComplete: Math.min(99, (downloads / total) * 100), context: { downloads } })
  }
  let failed = 0
  for (const name of partitions) {
    while (!signal.aborted && failed < dropAttempts && !(await dropPartition(sql, name))) {
      failed++
      await pause(attemptEveryMs, signal).catch(() => {})
    }
  }
  if (!signal.aborted) await mergeFailed(sql, age.until)
  return downloads
}

/** The instant is stored first: from then on nothing finer is read of the time before. */
async function run(
  { clock, history, hub, log, settings }: Parts,
  { reports, until }: { reports: Reports; until: number },
  context: OperationContext,
): Promise<OperationResult> {
  if (history.status().state !== 'ready') {
    throw new HistoryUnavailable('The history database is unavailable; nothing was deleted')
  }
  settings.set('history.keptSince', until)
  reports.dropAll()
  const target = history.connection()
  const options = { name: 'retention', connections: 1, statementTimeoutMs: 0, isReader: true }
  const sql = openClient(target, options)
  try {
    await writeKeptSince(sql, until)
    const downloads = await clear(sql, { until, now: clock.now().getTime() }, context)
    if (downloads > 0) log.warn({ downloads, before: utc(until) }, 'old downloads were deleted')
    return context.signal.aborted
      ? { kind: 'cancelled', fields: { downloads } }
      : { kind: 'completed', context: { downloads }, fields: { downloads } }
  } catch (error) {
    if (failureKind(error) === 'other') throw error
    return { kind: 'failed', error: `${describeFailure(error, target)}. The next run continues` }
  } finally {
    await sql.end({ timeout: 1 })
    reports.dropAll()
    hub.publish('DownloadsRefresh', { reason: 'history-retention' })
  }
}

/** The later of both instants is true: an older history or state.sqlite may have been restored. */
async function agreeOnKeptSince({ history, log, settings }: Parts, reports: Reports) {
  if (history.status().state !== 'ready') return
  try {
    const there = await history.read((_db, sql) => readKeptSince(sql))
    const here = settings.get('history.keptSince')
    if (here !== null && here > (there ?? 0)) {
      await history.read((_db, sql) => writeKeptSince(sql, here))
    } else if (there !== null && there !== here) {
      settings.set('history.keptSince', there)
      reports.dropAll()
    }
  } catch (error) {
    log.warn({ err: error }, 'since when the history is whole could not be compared')
  }
}

export function createHistoryRetention(parts: Parts, reports: Reports) {
  const { clock, config, operations, schedules, settings } = parts
  const keepMonths = () => settings.get('history.keepMonths') ?? config.historyKeepMonths

  /** Null: everything is kept. What was deleted stays so when more is to be kept. */
  function due(): number | null {
    const months = keepMonths()
    if (months === null) return null
    return Math.max(monthBefore(clock.now(), months), settings.get('history.keptSince') ?? 0)
  }

  const submit = (isSilent: boolean) =>
    operations.submit({
      type: 'historyRetention',
      scope: 'bulk',
      ...named('historyRetention'),
      isSilent,
      async run(context) {
        const until = due()
        return until === null ? { kind: 'skipped' } : run(parts, { reports, until }, context)
      },
    })

  function status(): Static<typeof HistoryRetention> {
    const keptSince = settings.get('history.keptSince')
    return { keepMonths: keepMonths(), keptSince: keptSince === null ? null : utc(keptSince) }
  }

  return {
    status,

    async preview(): Promise<Static<typeof HistoryRetentionPreview>> {
      const until = due()
      if (until === null) return { until: null, downloads: 0, partitions: 0, bytes: 0 }
      const old = await reports.readList((sql) =>
        oldRows(sql, { until, now: clock.now().getTime() }),
      )
      return { ...old, until: utc(until), partitions: old.partitions.length }
    },

    save(months: number | null) {
      settings.set('history.keepMonths', months)
      return status()
    },

    /** Throws `conflict` while everything is kept. */
    run() {
      if (keepMonths() === null) {
        throw new AppError('conflict', 'Everything is kept: set how many months are kept first')
      }
      const { operationId, alreadyRunning } = submit(false)
      return { operationId, alreadyRunning }
    },

    start(): void {
      const agree = () => void agreeOnKeptSince(parts, reports)
      parts.history.onStatus(agree)
      agree()
      schedules.register({
        serviceKey: 'historyRetention',
        intervalHours: everyHours,
        runOnStartup: false,
        run: () => {
          if (keepMonths() !== null && schedules.trustsClock()) submit(true)
        },
      })
    },
  }
}

export type HistoryRetentionService = ReturnType<typeof createHistoryRetention>
