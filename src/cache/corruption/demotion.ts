import type { CacheParts } from '../parts.ts'
import type { DetectionMethod } from '../../engines/cache/corruption/corruption-contract.ts'
import type { OperationType, OperationView } from '../../core/operations/contract.ts'

const all: DetectionMethod[] = ['structural', 'repeated_miss']

/** What the end of an operation means for the current scans, whether it succeeded or not. */
const effects: Partial<Record<OperationType, DetectionMethod[]>> = {
  // One that succeeds has deleted the scans by itself; one that did not end has removed something.
  cacheClearing: all,
  databaseReset: all,
  gameRemoval: all,
  serviceRemoval: all,
  evictionRemoval: all,
  logRemoval: ['repeated_miss'],
}

/** Ends that were dealt with; operations are listed for ten seconds after theirs. */
const rememberedMax = 1000

const hasWorked = ({ startedAt, finishedAt }: OperationView): boolean =>
  startedAt !== null && finishedAt !== null

/**
 * Makes current scans history when something else removed files, downloads or log lines, so that no
 * removal builds on findings that may not be true any more. The removal of findings itself is not
 * listed: what it removed leaves its scan.
 */
export function demoteAfterRemovals({
  operations,
  cache,
  log,
}: Pick<CacheParts, 'operations' | 'cache' | 'log'>): void {
  const handled = new Set<string>()
  operations.onChange(() => {
    for (const operation of operations.list()) {
      const effect = effects[operation.type]
      if (effect === undefined || !hasWorked(operation) || handled.has(operation.id)) continue
      if (handled.size >= rememberedMax) handled.clear()
      handled.add(operation.id)
      const done = cache.corruption.demoteScans({ methods: effect })
      done.catch((error: unknown) => {
        log.warn({ err: error, operation: operation.type }, 'corruption scans were not demoted')
      })
    }
  })
}
