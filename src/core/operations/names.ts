import type { Named } from './contract.ts'
import { phraseBook, type PhraseNeeds } from '../lib/phrases.ts'

/** Names of jobs. Each is sent in English, and as a key with values, which pages translate. */
export const nameTexts = {
  backup: 'Snapshot of all data',
  betaMapping: 'Refresh of names from Epic Games',
  betaSignIn: 'Sign-in to Epic Games',
  cacheClearing: 'Clearing of the cache of {datasource}',
  cacheClearingAll: 'Clearing of all caches',
  cacheClearingOn: 'Clearing of the caches of {node}',
  cacheSize: 'Cache size scan',
  cacheSnapshot: 'Recording of the cache size',
  corruptionMissed: 'Scan for repeated misses',
  corruptionRemoval: 'Removal of corrupted files of {service}',
  corruptionRemovalOn: 'Removal of corrupted files of {service} on {node}',
  corruptionStructuralFull: 'Full check of all cache files',
  corruptionStructuralIncremental: 'Check of changed cache files',
  dashboardCacheWarmer: 'Precomputing of the overview',
  databaseReset: 'Reset of the database',
  databaseResetTables: 'Reset of {tables}',
  dataImport: 'Import from another instance',
  depotImport: 'Import of names of Steam games',
  depotMapping: 'Search for names of Steam games',
  epsilonMapping: 'Refresh of names from Xbox',
  epsilonSignIn: 'Sign-in to Xbox',
  eventTagging: 'Tagging of events',
  evictedRemoval: 'Removal of evicted downloads of {kind} {key}',
  evictedRemovalAll: 'Removal of all evicted downloads',
  evictedRemovalAllOn: 'Removal of all evicted downloads of {node}',
  evictedRemovalNamed: 'Removal of evicted downloads of {game}',
  evictedRemovalOn: 'Removal of evicted downloads of {kind} {key} on {node}',
  evictionScan: 'Eviction scan',
  gameDetection: 'Game detection',
  gameDetectionFull: 'Full game detection',
  gameImageFetch: 'Fetching of game images',
  gameRemoval: 'Removal of {game}',
  gameRemovalOn: 'Removal of {game} on {node}',
  historyRetention: 'Deletion of old downloads',
  logRetention: 'Log rotation and retention',
  logProcessing: 'Log processing',
  logProcessingOne: 'Log processing of {datasource}',
  logRemoval: 'Removal of log lines of {service} in {datasource}',
  logReopening: 'Reopening of the proxy’s logs',
  objectRemoval: 'Removal of {object}',
  operationHistoryCleanup: 'Deletion of old operations',
  performanceOptimization: 'Freeing of memory',
  restore: 'Preparing to restore {snapshot}',
  prefill: 'Prefill from {platform}',
  prefillReady: 'Fetching of the games that are to be ready',
  prefillReadyCheck: 'Check of the games that are to be ready',
  prefillShelf: 'Prefill of chosen games',
  prefillLogin: 'Sign-in to {platform} for prefill',
  scheduledPrefill: 'Scheduled prefill',
  scheduledPrefillOf: 'Scheduled prefill from {platform}',
  scheduledPrefillOne: 'Scheduled prefill from {platform}: {schedule}',
  serviceRemoval: 'Removal of {service}',
  serviceRemovalOn: 'Removal of {service} on {node}',
  statusCheck: 'Status check of DNS and cache',
} as const

const phrase = phraseBook(nameTexts)

/** The name members of a request. */
export function named<Key extends keyof typeof nameTexts>(
  key: Key,
  ...values: PhraseNeeds<(typeof nameTexts)[Key]>
): Named {
  const phrased = phrase(key, ...values)
  return { name: phrased.text, nameKey: phrased.key, nameContext: phrased.values }
}
