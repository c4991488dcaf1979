import type { CacheParts } from '../parts.ts'
import type { SizeScan, WalkOutcome, WalkProgress } from '../../engines/cache/contract.ts'
import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { formatSize } from './format.ts'

const stage = (name: string) => `signalr.cacheSizeScan.${name}`
/** Share of the progress bar for the walk; the rest measures deletion speed. */
const walkShare = 0.8
const steps = 1

type ScanDeps = Pick<CacheParts, 'cache' | 'config' | 'disk' | 'hub' | 'operations'>

/** Bytes used on the caches' disks, for later comparison. */
async function usageOf({ config, disk }: Pick<CacheParts, 'config' | 'disk'>) {
  const spaces = await Promise.all(config.datasources.map(({ name }) => disk.space(name)))
  const usage = new Map<string, number>()
  for (const { state, mountPoint, usedBytes } of spaces) {
    if (state === 'ok') usage.set(mountPoint, usedBytes)
  }
  return Array.from(usage, ([mountPoint, usedBytes]) => ({ mountPoint, usedBytes }))
}

const problemOf = (outcomes: WalkOutcome[]): string | null => {
  const failed = outcomes.find(({ state }) => state === 'failed')
  return failed === undefined ? null : `${failed.datasource}: ${failed.problem ?? 'not readable'}`
}

const countsOf = (report: WalkProgress) => ({
  directoriesScanned: report.directoriesScanned,
  totalDirectories: report.totalDirectories,
  totalFiles: report.filesSeen,
})

/** Walks all caches and stores the result as the last size scan. */
async function runScan(
  deps: ScanDeps,
  accepted: string | null,
  context: OperationContext,
): Promise<OperationResult> {
  const { cache } = deps
  const startedMs = performance.now()
  context.report({ stageKey: stage('starting'), percentComplete: 0 })
  const run = {
    signal: context.signal,
    progress(report: WalkProgress) {
      const counts = countsOf(report)
      context.report({
        stageKey: stage('scanning'),
        percentComplete: report.percentComplete * walkShare,
        context: counts,
        fields: counts,
      })
    },
  }
  if (accepted !== null) {
    await cache.walk({ datasource: accepted, depth: 'directories', accept: true }, run)
  }
  const outcomes = await cache.walk({ datasource: null, depth: 'directories' }, run)
  if (context.signal.aborted) return { kind: 'cancelled' }
  const problem = problemOf(outcomes)
  if (problem !== null) return { kind: 'failed', error: problem }
  context.report({
    stageKey: stage('calibrating'),
    percentComplete: 100 * walkShare,
    context: { step: steps, totalSteps: steps },
  })
  const scanDurationMs = Math.round(performance.now() - startedMs)
  const scan = await cache.saveSizeScan({ scanDurationMs, usage: await usageOf(deps) })
  const formattedSize = formatSize(scan.totalBytes)
  const totals = { totalFiles: scan.totalFiles, totalSize: formattedSize, formattedSize }
  return {
    kind: 'completed',
    stageKey: stage('complete'),
    context: totals,
    fields: { ...totals, totalBytes: scan.totalBytes },
  }
}

/** In addition to the events that every scan sends. */
function publishEnd({ hub }: ScanDeps, operationId: string, result: OperationResult): void {
  hub.publish('CacheScanComplete', {
    success: result.kind === 'completed',
    operationId,
    error: result.kind === 'failed' ? result.error : null,
    cancelled: result.kind === 'cancelled',
  })
}

/** Queues a size scan. `accepted`: a datasource whose losses are confirmed. */
export const submitScan = (
  deps: ScanDeps,
  options: { isSilent: boolean; accepted?: string },
): Queued =>
  deps.operations.submit({
    type: 'cacheSizeScan',
    scope: 'bulk',
    ...named('cacheSize'),
    // A confirmation must not get lost because a scan happens to be running.
    variant: options.accepted ?? '',
    isSilent: options.isSilent,
    events: { prefix: 'CacheSizeScan', showNotification: !options.isSilent },
    async run(context) {
      const result = await runScan(deps, options.accepted ?? null, context)
      publishEnd(deps, context.operationId, result)
      return result
    },
    kill: () => deps.cache.forceKill(),
  })

/** Figures of one walk in the shape of a size scan; nothing is stored. */
export async function scanOf(
  deps: Pick<CacheParts, 'cache'>,
  outcome: WalkOutcome,
): Promise<Omit<SizeScan, 'usage'>> {
  const { files: totalFiles, hexDirectories } = outcome
  return {
    totalBytes: outcome.bytes,
    totalFiles,
    totalDirectories: outcome.directories,
    hexDirectories,
    scanDurationMs: outcome.durationMs,
    deletionSeconds: await deps.cache.deletionSeconds({ totalFiles, hexDirectories }),
    timestamp: new Date().toISOString(),
  }
}
