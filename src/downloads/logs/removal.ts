import type { DatasourceConfig } from '../../core/config.ts'
import type { DownloadsParts } from '../parts.ts'
import type { RemovalOutcome } from '../../engines/logs/changes/removal-contract.ts'
import { serviceOfTag } from '../../engines/logs/lines/service-name.ts'
import { AppError, staged } from '../../core/http/errors.ts'
import type {
  OperationContext,
  OperationResult,
  Operations,
  OperationType,
} from '../../core/operations/contract.ts'
import { newestOf } from './newest.ts'
import { named } from '../../core/operations/names.ts'
import type { RemovalStarted, RemovalStatus } from './removal-model.ts'

const stage = (name: string) => `signalr.logRemoval.${name}`

/** Operations that use log files, which must not be deleted meanwhile. */
const fileJobs: readonly OperationType[] = [
  'logRemoval',
  'gameRemoval',
  'serviceRemoval',
  'corruptionRemoval',
  'corruptionDetection',
  'evictionRemoval',
  'databaseReset',
]

const refusedText = (refused: RemovalOutcome['refused']): string =>
  refused.map(({ file, reason }) => `${file}: ${reason}`).join('; ')

function resultOf(outcome: RemovalOutcome, names: Record<string, string>): OperationResult {
  const { isCancelled, refused, ...counts } = outcome
  const fields = { ...names, ...counts, refused }
  if (isCancelled) return { kind: 'cancelled', fields }
  if (refused.length > 0) {
    return { kind: 'failed', error: refusedText(refused), stageKey: stage('error.fatal'), fields }
  }
  const isNothing = outcome.filesRewritten + outcome.filesDeleted === 0
  return {
    kind: 'completed',
    stageKey: stage(isNothing ? 'completeNoFiles' : 'complete'),
    context: { ...names, ...counts },
    fields,
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The running removal, else a recently finished one, else idle. */
function statusOf(operations: Operations): RemovalStatus {
  const operation = newestOf(operations, 'logRemoval')
  const { status = null, context = null, nameContext = null } = operation ?? {}
  return {
    isProcessing: ['pending', 'running', 'cancelling'].includes(status ?? ''),
    service: textOf(nameContext?.['service']),
    datasource: textOf(nameContext?.['datasource']),
    operationId: operation?.id ?? null,
    filesProcessed: numberOf(context?.filesProcessed),
    linesProcessed: numberOf(context?.linesProcessed),
    linesRemoved: numberOf(context?.linesRemoved),
    percentComplete: operation?.percentComplete ?? null,
    status,
    stageKey: operation?.stageKey ?? null,
    context: context ?? {},
  }
}

/** The lines with the evidence of misses are gone. */
async function demoteMisses({ cache, log }: DownloadsParts): Promise<void> {
  try {
    await cache.corruption.demoteScans({ methods: ['repeated_miss'] })
  } catch (error) {
    log.warn({ err: error }, 'corruption scans were not demoted')
  }
}

const busyText = 'Another operation is changing the log files; wait for it or cancel it'

/** Removes log lines and log files; `find` throws `notFound` for an unknown datasource. */
export function createRemoval(deps: DownloadsParts, find: (name: string) => DatasourceConfig) {
  const { logs, operations, datasources, hub } = deps

  async function run(
    names: { datasourceName: string; service: string },
    context: OperationContext,
  ): Promise<OperationResult> {
    const { datasourceName: datasource, service } = names
    // Checked again: it may have been queued for hours.
    await datasources.requireWritable({ logs: true, name: datasource })
    context.report({ percentComplete: 0, stageKey: stage('starting.single'), context: names })
    const outcome = await logs.removeLines(
      { datasource, filter: { kind: 'service', service } },
      {
        signal: context.signal,
        progress: ({ percentComplete, ...counts }) =>
          context.report({
            percentComplete,
            stageKey: stage('progressWithCount'),
            context: { ...names, ...counts },
            fields: { ...names, ...counts },
          }),
      },
    )
    // Including what a cancelled run removed.
    if (outcome.linesRemoved > 0) hub.publish('ServiceCountsChanged', null)
    return resultOf(outcome, names)
  }

  return {
    removalStatus: () => statusOf(operations),

    /** Throws `notFound` and `invalid` (blank service, read-only folder). */
    async removeService(name: string, text: string): Promise<RemovalStarted> {
      const datasource = find(name).name
      if (text.trim() === '') throw new AppError('invalid', 'service is missing')
      const service = serviceOfTag(text)
      await datasources.requireWritable({ logs: true, name: datasource })
      const names = { datasourceName: datasource, service }
      const queued = operations.submit({
        type: 'logRemoval',
        scope: `service:${service}@${datasource}`,
        ...named('logRemoval', { service, datasource }),
        events: { prefix: 'LogRemoval', startedFields: names },
        run: (context) => run(names, context),
        kill: () => logs.forceKill(),
      })
      const isWaiting = queued.status === 'waiting'
      const started = queued.alreadyRunning ? 'is being done already' : 'started'
      return {
        message: `Removing log lines of ${service} ${isWaiting ? 'waits' : started}`,
        service,
        operationId: queued.operationId,
        status: isWaiting ? 'waiting' : 'running',
        queued: queued.queued,
        alreadyRunning: queued.alreadyRunning,
      }
    },

    /** Throws `notFound` (also without a log file), `invalid` (read-only) and `conflict`. */
    async deleteFile(name: string) {
      const datasource = find(name).name
      await datasources.requireWritable({ logs: true, name: datasource })
      if (fileJobs.some((type) => operations.active(type) !== null)) {
        throw new AppError('conflict', busyText, staged('errors.logs.busy'))
      }
      const { filesDeleted, refused } = await logs.deleteLogs(datasource)
      if (filesDeleted > 0) hub.publish('ServiceCountsChanged', null)
      if (refused.length > 0) throw new AppError('invalid', refusedText(refused))
      if (filesDeleted === 0) throw new AppError('notFound', 'Log file not found')
      await demoteMisses(deps)
      const files = filesDeleted === 1 ? 'The log file was' : `${filesDeleted} log files were`
      return { success: true, message: `${files} deleted` }
    },
  }
}
