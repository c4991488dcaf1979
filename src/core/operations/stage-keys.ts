import type { OperationType } from './contract.ts'

/** Groups of translation keys; types that are not listed use the keys of scheduled runs. */
const groups: Partial<Record<OperationType, string>> = {
  cacheClearing: 'cacheClear',
  corruptionRemoval: 'corruptionRemove',
  corruptionDetection: 'corruptionDetect',
  gameDetection: 'gameDetect',
  logProcessing: 'logProcessing',
  gameRemoval: 'gameRemove',
  serviceRemoval: 'serviceRemove',
  depotMapping: 'depotMapping',
  dataImport: 'dataImport',
  databaseReset: 'dbReset',
  logRemoval: 'logRemoval',
  betaMapping: 'betaMapping',
  gammaMapping: 'gammaMapping',
  deltaMapping: 'deltaMapping',
  epsilonMapping: 'epsilonMapping',
  evictionScan: 'evictionScan',
  evictionRemoval: 'evictionRemove',
  cacheSizeScan: 'cacheSizeScan',
}

type Stage = 'starting' | 'complete' | 'cancelled' | 'skipped' | 'error.fatal' | 'stale'

/** Translation groups of game removals, by the beginning of their scope. */
const gameGroups: Record<string, string> = { beta: 'betaRemove', named: 'namedRemove' }

/** Types with a translated failure of their own; for all others it is `error.fatal`. */
const plainFailure: ReadonlySet<OperationType> = new Set([
  'corruptionDetection',
  'databaseReset',
  'depotMapping',
  'evictionRemoval',
])

function groupOf({ type, scope }: { type: OperationType; scope: string }): string {
  const byScope = type === 'gameRemoval' ? gameGroups[scope.split(':', 1)[0] ?? ''] : undefined
  return byScope ?? groups[type] ?? `scheduledRun.${type}`
}

/** Translation key of a common stage, for jobs that did not set one. */
export function stageKey(job: { type: OperationType; scope: string }, stage: Stage): string {
  const isPlain = stage === 'error.fatal' && plainFailure.has(job.type)
  return `signalr.${groupOf(job)}.${isPlain ? 'failed' : stage}`
}
