import type { CacheParts } from '../parts.ts'
import type { DatasourceConfig } from '../../core/config.ts'
import { clearingProblem } from '../../core/lib/overlap.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { reachOf, type WhenAway } from '../away/away.ts'
import type { Later, LaterJobs } from '../away/later.ts'
import type { PendingRemovals } from '../removals/pending.ts'
import type { CacheOperations, ClearingStarted } from './model.ts'
import { runClearing } from './run.ts'

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const row = (view: OperationView) => ({
  operationId: view.id,
  status: view.status,
  statusMessage: view.message,
  startTime: view.startedAt?.toISOString() ?? null,
  endTime: view.finishedAt?.toISOString() ?? null,
  directoriesProcessed: numberOf(view.context?.['directoriesProcessed']),
  totalDirectories: numberOf(view.context?.['totalDirectories']),
  bytesDeleted: numberOf(view.context?.['bytesDeleted']),
  filesDeleted: numberOf(view.context?.['filesDeleted']),
  error: view.error,
  percentComplete: view.percentComplete,
})

/** Files of what is cleared, as the pages show them; null while the index cannot be read. */
async function indexedFiles({ cache, datasources }: CacheParts, datasource: string | null) {
  const roots = await cache.roots().catch(() => null)
  const writable = (await datasources.all()).filter(({ canWriteCache }) => canWriteCache)
  // Datasources that share a folder are counted once.
  const cleared = roots?.filter((root) =>
    datasource === null
      ? root.sharedWith === null && writable.some(({ name }) => name === root.datasource)
      : root.datasource === datasource,
  )
  return cleared?.reduce((sum, { files }) => sum + files, 0) ?? null
}

/** Caches that cannot be written to are skipped, and so are those of a node that is away. */
const byDefault = 'skip'

interface Parts {
  pending: PendingRemovals
  later: Later
}

/** The caches of a node that is back. */
const takeUp =
  (deps: CacheParts, parts: Parts): LaterJobs['clearing'] =>
  (_work, part) =>
    deps.operations.submit({
      type: 'cacheClearing',
      scope: 'bulk',
      variant: part.variant,
      ...part.name,
      events: { prefix: 'CacheClearing', startedFields: { datasource: null } },
      run: (context) => {
        const all = { datasource: null, announcedFiles: null, whenAway: 'refuse' } as const
        return runClearing(deps, parts, { ...all, part, context })
      },
      kill: () => deps.cache.forceKill(),
    })

/** Clears whole caches. */
export function createClearing(deps: CacheParts, parts: Parts) {
  const { operations, datasources, config, cache, nodeHosts } = deps

  async function submit(datasource: string | null, whenAway: WhenAway): Promise<ClearingStarted> {
    parts.pending.requireCapacity()
    if (whenAway === 'later') parts.later.requireCapacity()
    const announcedFiles = await indexedFiles(deps, datasource)
    const name =
      datasource === null ? named('cacheClearingAll') : named('cacheClearing', { datasource })
    const queued = operations.submit({
      type: 'cacheClearing',
      scope: datasource === null ? 'bulk' : `datasource:${datasource}`,
      variant: whenAway === byDefault ? '' : whenAway,
      ...name,
      events: { prefix: 'CacheClearing', startedFields: { datasource } },
      run: (context) => runClearing(deps, parts, { datasource, announcedFiles, whenAway, context }),
      kill: () => cache.forceKill(),
    })
    const status = queued.status === 'waiting' ? 'waiting' : 'running'
    return { ...queued, status, message: name.name }
  }

  function requireApart(sources: readonly DatasourceConfig[]): void {
    for (const source of sources) {
      const problem = clearingProblem(config, source)
      if (problem !== null) throw new AppError('invalid', problem)
    }
  }

  return {
    takeUp: takeUp(deps, parts),
    async clearAll({ whenAway = byDefault }: { whenAway?: WhenAway | undefined }) {
      const { left } = reachOf(nodeHosts, whenAway)
      const all = await datasources.all()
      // One writable cache is enough; the rest are skipped.
      const isWritable = all.some(({ canWriteCache }) => canWriteCache)
      const isAllLater = whenAway === 'later' && left.length > 0
      if (!isWritable && !isAllLater) await datasources.requireWritable({ cache: true })
      requireApart(config.datasources)
      return submit(null, whenAway)
    },
    async clearOne(name: string) {
      const known = datasourceNamed(config, name)
      await datasources.requireWritable({ cache: true, name: known.name })
      requireApart([known])
      return submit(known.name, byDefault)
    },
    operations(): CacheOperations {
      const list = operations.list().filter(({ type }) => type === 'cacheClearing')
      return {
        isProcessing: list.some(({ finishedAt }) => finishedAt === null),
        operations: list.map(row),
      }
    },
  }
}
export type Clearing = ReturnType<typeof createClearing>
