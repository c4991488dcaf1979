import type { CacheParts } from '../parts.ts'
import type { DatasourceConfig } from '../../core/config.ts'
import { clearingProblem } from '../../core/lib/overlap.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
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

/** Clears whole caches. */
export function createClearing(deps: CacheParts, pending: PendingRemovals) {
  const { operations, datasources, config, cache } = deps

  async function submit(datasource: string | null): Promise<ClearingStarted> {
    pending.requireCapacity()
    const announcedFiles = await indexedFiles(deps, datasource)
    const name =
      datasource === null ? named('cacheClearingAll') : named('cacheClearing', { datasource })
    const queued = operations.submit({
      type: 'cacheClearing',
      scope: datasource === null ? 'bulk' : `datasource:${datasource}`,
      ...name,
      events: { prefix: 'CacheClearing', startedFields: { datasource } },
      run: (context) => runClearing(deps, pending, { datasource, announcedFiles, context }),
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
    async clearAll() {
      const all = await datasources.all()
      // One writable cache is enough; the rest are skipped.
      const isWritable = all.some(({ canWriteCache }) => canWriteCache)
      if (!isWritable) await datasources.requireWritable({ cache: true })
      requireApart(config.datasources)
      return submit(null)
    },
    async clearOne(name: string) {
      const known = config.datasources.find(
        (one) => one.name.toLowerCase() === name.trim().toLowerCase(),
      )
      if (known === undefined) throw new AppError('notFound', 'Datasource not found')
      await datasources.requireWritable({ cache: true, name: known.name })
      requireApart([known])
      return submit(known.name)
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
