import type { CacheParts } from '../parts.ts'
import type { DetectionMethod } from '../../engines/cache/corruption/wire.ts'
import type { OperationType, OperationView } from '../../core/operations/contract.ts'

const all: DetectionMethod[] = ['structural', 'repeated_miss']

/**
 * Detection methods whose current scans an operation makes stale when it ends, successfully or not.
 */
const effects: Partial<Record<OperationType, DetectionMethod[]>> = {
  // On success it deleted the scans itself; otherwise it may still have removed files.
  cacheClearing: all,
  databaseReset: all,
  gameRemoval: all,
  serviceRemoval: all,
  evictionRemoval: all,
  logRemoval: ['repeated_miss'],
}

/** Operation ends already handled; an operation stays listed for ten seconds after its end. */
const rememberedMax = 1000

const hasWorked = ({ startedAt, finishedAt }: OperationView): boolean =>
  startedAt !== null && finishedAt !== null

/**
 * Turns current scans into history after other operations removed files, downloads or log lines, so
 * that no removal relies on stale findings. Removals of findings are not listed: they update their
 * own scan.
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
