import type { OperationType } from './contract.ts'

/** Properties that decide whether two jobs may run in parallel. */
export interface Job {
  type: OperationType
  scope: string
}

/** Why a job is queued, from the view of the later job. */
export type ConflictReason =
  | 'duplicate'
  | 'globalOperationActive'
  | 'overlappingEntity'
  | 'heavyOperationActive'
  | 'cacheFileScanActive'
  | 'bulkActive'
  | 'serviceWideActive'

type Kind = ReadonlySet<OperationType>
const kind = (...types: OperationType[]): Kind => new Set(types)

/** Exclusive: they remove what every other job works on. */
const globals = kind('databaseReset', 'cacheClearing', 'restore')
/** Wait for servers outside, and use neither the cache nor the logs: clearing runs beside them. */
const remote = kind('gameImageFetch', 'statusCheck')
/** Read all logs or the whole cache: one at a time. */
const heavy = kind(
  'logProcessing',
  'logRemoval',
  'gameDetection',
  'cacheSizeScan',
  'evictionScan',
  'corruptionDetection',
)
const removals = kind('gameRemoval', 'serviceRemoval', 'corruptionRemoval', 'evictionRemoval')
/** Whether a job of this type removes data. */
export const isRemoval = (type: OperationType): boolean => removals.has(type)
/** Use the log files that removals rewrite. */
const logJobs = kind('logProcessing', 'logRemoval')
/** One run per type regardless of scope: they share one external session, or one daemon. */
const singleFlight = kind(
  'depotMapping',
  'betaMapping',
  'gammaMapping',
  'deltaMapping',
  'epsilonMapping',
  'scheduledPrefill',
)

/** Two kinds that exclude each other, and the reason while a job of the first one runs. */
type PairRule = readonly [first: Kind, second: Kind, whileFirstRuns: ConflictReason]

/** While one of the second runs, the first is queued as `overlappingEntity`. */
const pairs: readonly PairRule[] = [
  // Both prefill with the persistent sessions.
  [kind('scheduledPrefill'), kind('prefillReady', 'prefillShelf'), 'overlappingEntity'],
  [kind('prefillReady'), kind('prefillShelf'), 'overlappingEntity'],
  [logJobs, removals, 'heavyOperationActive'],
  [kind('cacheSizeScan'), removals, 'cacheFileScanActive'],
  [kind('corruptionDetection'), removals, 'overlappingEntity'],
  [kind('evictionScan'), kind('evictionRemoval'), 'cacheFileScanActive'],
]

/** What a removal touches: everything, one service, or one title of a service. */
type Reach =
  | { form: 'all' }
  | { form: 'service'; service: string; title: string | null }
  | { form: 'unknown'; scope: string }

/** Parses a scope; scopes of other jobs (a datasource, a schedule) are compared literally. */
function reachOf(scope: string): Reach {
  if (scope === 'bulk') return { form: 'all' }
  const [kind = '', first = '', ...rest] = scope.toLowerCase().split(':')
  const tail = [first, ...rest].join(':')
  if (kind === 'alpha') return { form: 'service', service: 'steam', title: `alpha:${tail}` }
  if (kind === 'beta') return { form: 'service', service: 'epicgames', title: `beta:${tail}` }
  if (kind === 'service') return { form: 'service', service: tail, title: null }
  if (kind === 'named') return { form: 'service', service: first, title: rest.join(':') }
  return { form: 'unknown', scope }
}

function removalConflict(incoming: Job, active: Job): ConflictReason | null {
  const wanted = reachOf(incoming.scope)
  const taken = reachOf(active.scope)
  // Bulk covers every service, so it also overlaps with any other removal.
  if (wanted.form === 'all' || taken.form === 'all') return 'bulkActive'
  if (wanted.form === 'unknown' || taken.form === 'unknown') {
    return incoming.scope === active.scope ? 'overlappingEntity' : null
  }
  if (wanted.service !== taken.service) return null
  if (taken.title === null) return 'serviceWideActive'
  if (wanted.title === null) return 'overlappingEntity'
  return wanted.title === taken.title ? 'overlappingEntity' : null
}

/**
 * The conflict matrix. Null: both may run. Symmetric: if A must wait for B, B must wait for A; only
 * the reason depends on which one is active.
 */
export function conflict(incoming: Job, active: Job): ConflictReason | null {
  if (incoming.type === active.type) {
    if (incoming.scope === active.scope || singleFlight.has(active.type)) return 'duplicate'
  }
  if (incoming.type === 'cacheClearing' && remote.has(active.type)) return null
  if (active.type === 'cacheClearing' && remote.has(incoming.type)) return null
  if (globals.has(incoming.type) || globals.has(active.type)) return 'globalOperationActive'
  if (removals.has(incoming.type) && removals.has(active.type)) {
    return removalConflict(incoming, active)
  }
  if (heavy.has(incoming.type) && heavy.has(active.type)) return 'heavyOperationActive'
  for (const [first, second, whileFirstRuns] of pairs) {
    if (first.has(active.type) && second.has(incoming.type)) return whileFirstRuns
    if (second.has(active.type) && first.has(incoming.type)) return 'overlappingEntity'
  }
  return null
}
