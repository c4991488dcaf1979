import type { DownloadsParts } from '../parts.ts'
import type { ProcessOutcome, ProcessProgress } from '../../engines/logs/contract.ts'
import { AppError, staged } from '../../core/http/errors.ts'
import type {
  OperationContext,
  OperationResult,
  Operations,
} from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { newestOf } from './newest.ts'
import type { PositionChange, ProcessStarted, ProcessStatus } from './model.ts'

function resultOf(outcome: ProcessOutcome): OperationResult {
  const { terminalStatus, elapsedMs, ...figures } = outcome
  if (terminalStatus === 'cancelled') return { kind: 'cancelled' }
  if (terminalStatus === 'failed') {
    return {
      kind: 'failed',
      error: 'The logs could not be read; see the read positions for the reason',
    }
  }
  return {
    kind: 'completed',
    stageKey: 'signalr.logProcessing.completedDetail',
    context: { elapsed: elapsedMs, terminalStatus, ...figures },
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** The running operation, else a recently finished one, else `idle`. */
function statusOf(operations: Operations): ProcessStatus {
  const operation = newestOf(operations, 'logProcessing')
  const { status = 'idle', context = null } = operation ?? {}
  const isProcessing = ['pending', 'running', 'cancelling'].includes(status)
  return {
    isProcessing,
    silentMode: operation?.isSilent ?? false,
    status: isProcessing ? (context === null ? 'starting' : 'processing') : status,
    operationId: operation?.id ?? null,
    percentComplete: operation?.percentComplete ?? null,
    mbProcessed: numberOf(context?.mbProcessed),
    mbTotal: numberOf(context?.mbTotal),
    entriesProcessed: numberOf(context?.entriesProcessed),
    totalLines: numberOf(context?.totalLines ?? context?.linesProcessed),
    stageKey: operation?.stageKey ?? null,
  }
}

/** Log files, their read positions, and processing on request. */
export function createLogs({ config, logs, operations, datasources }: DownloadsParts) {
  const find = (name: string) => datasourceNamed(config, name)

  async function run(datasource: string | null, context: OperationContext) {
    const progress = (report: ProcessProgress) =>
      context.report({
        percentComplete: report.percentComplete,
        stageKey: 'signalr.logProcessing.progress',
        context: { ...report },
        fields: { ...report },
      })
    return resultOf(await logs.process(datasource, { signal: context.signal, progress }))
  }

  function process(datasource: string | null): ProcessStarted {
    const queued = operations.submit({
      type: 'logProcessing',
      scope: 'bulk',
      ...(datasource === null ? named('logProcessing') : named('logProcessingOne', { datasource })),
      run: (context) => run(datasource, context),
      kill: () => logs.forceKill(),
    })
    const { operationId, alreadyRunning } = queued
    const isWaiting = queued.status === 'waiting'
    const started = alreadyRunning ? 'Log processing is already running' : 'Log processing started'
    return {
      message: isWaiting ? 'Log processing waits for another operation' : started,
      operationId,
      status: isWaiting ? 'waiting' : 'running',
      queued: queued.queued,
      alreadyRunning,
    }
  }

  return {
    async info() {
      const [first] = config.datasources
      if (first === undefined) return { path: '', exists: false }
      const { logProblem } = await datasources.facts(first.name)
      return { path: first.logPath, exists: !['missing', 'unresponsive'].includes(logProblem) }
    },

    positions: () => logs.positions(),

    /** Position 0 is the beginning, anything else the end. Refused during a run. */
    async move(name: string | null, change: PositionChange) {
      const datasource = name === null ? null : find(name).name
      if (operations.active('logProcessing') !== null) {
        const text = 'Logs are being processed; wait for that or cancel it first'
        throw new AppError('conflict', text, staged('errors.logs.processing'))
      }
      if (operations.active('logRemoval') !== null) {
        const text = 'Log lines are being removed; wait for that or cancel it first'
        throw new AppError('conflict', text, staged('errors.logs.removing'))
      }
      const to = change.position === 0 ? 'beginning' : 'end'
      const position = await logs.setPosition(datasource, to)
      const message =
        to === 'end'
          ? 'Reading continues at the end of the logs'
          : 'What was skipped is read now; lines that were counted are not counted again'
      return { message, position }
    },

    processAll: () => process(null),
    processOne: (name: string) => process(find(name).name),

    processStatus: () => statusOf(operations),
  }
}
