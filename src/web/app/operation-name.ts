import type { Operation } from '../api/wire.ts'
import { serviceName } from '../format/services.ts'
import { t, type Key } from '../locales/translate.ts'

/** By the keys of the server's table of names. */
const texts: Readonly<Record<string, Key>> = {
  backup: 'job.backup',
  betaMapping: 'job.betaMapping',
  betaSignIn: 'job.betaSignIn',
  cacheClearing: 'job.cacheClearing',
  cacheClearingAll: 'job.cacheClearingAll',
  cacheClearingOn: 'job.cacheClearingOn',
  cacheSize: 'job.cacheSize',
  corruptionMissed: 'job.corruptionMissed',
  corruptionRemoval: 'job.corruptionRemoval',
  corruptionRemovalOn: 'job.corruptionRemovalOn',
  corruptionStructuralFull: 'job.corruptionStructuralFull',
  corruptionStructuralIncremental: 'job.corruptionStructuralIncremental',
  dataImport: 'job.dataImport',
  databaseReset: 'job.databaseReset',
  databaseResetTables: 'job.databaseResetTables',
  depotImport: 'job.depotImport',
  depotMapping: 'job.depotMapping',
  epsilonMapping: 'job.epsilonMapping',
  epsilonSignIn: 'job.epsilonSignIn',
  eventTagging: 'job.eventTagging',
  evictedRemoval: 'job.evictedRemoval',
  evictedRemovalAll: 'job.evictedRemovalAll',
  evictedRemovalAllOn: 'job.evictedRemovalAllOn',
  evictedRemovalNamed: 'job.evictedRemovalNamed',
  evictedRemovalOn: 'job.evictedRemovalOn',
  evictionScan: 'job.evictionScan',
  gameDetection: 'job.gameDetection',
  gameDetectionFull: 'job.gameDetectionFull',
  gameImageFetch: 'job.gameImageFetch',
  gameRemoval: 'job.gameRemoval',
  gameRemovalOn: 'job.gameRemovalOn',
  historyRetention: 'job.historyRetention',
  logRetention: 'job.logRetention',
  logProcessing: 'job.logProcessing',
  logProcessingOne: 'job.logProcessingOne',
  logRemoval: 'job.logRemoval',
  logReopening: 'job.logReopening',
  objectRemoval: 'job.objectRemoval',
  prefill: 'job.prefill',
  prefillReady: 'job.prefillReady',
  prefillReadyCheck: 'job.prefillReadyCheck',
  prefillShelf: 'job.prefillShelf',
  prefillLogin: 'job.prefillLogin',
  restore: 'job.restore',
  scheduledPrefill: 'job.scheduledPrefill',
  scheduledPrefillOf: 'job.scheduledPrefillOf',
  scheduledPrefillOne: 'job.scheduledPrefillOne',
  serviceRemoval: 'job.serviceRemoval',
  serviceRemovalOn: 'job.serviceRemovalOn',
  statusCheck: 'job.statusCheck',
}

/** Name of a job in the reader's language; unknown jobs keep their English name. */
export function operationName({
  name,
  nameKey,
  nameContext,
}: Pick<Operation, 'name' | 'nameKey' | 'nameContext'>): string {
  const key = nameKey === null ? undefined : texts[nameKey]
  if (key === undefined) return name
  const values = { ...nameContext }
  if (typeof values['service'] === 'string') values['service'] = serviceName(values['service'])
  if (values['kind'] === 'service') values['key'] = serviceName(String(values['key']))
  return t(key, values)
}
