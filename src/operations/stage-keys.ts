import type { OperationType } from './contract.ts'

/** Groups of translation keys; types that are not listed share the keys of scheduled runs. */
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

/** Translation key of a stage that every job has, for jobs that did not name one themselves. */
export const stageKey = (type: OperationType, stage: Stage): string =>
  `signalr.${groups[type] ?? `scheduledRun.${type}`}.${stage}`
