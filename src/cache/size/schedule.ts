import type { CacheParts } from '../parts.ts'
import type { OperationType } from '../../core/operations/contract.ts'
import { submitScan } from './scan.ts'

const minuteMs = 60_000
/** While one of these runs it looks at the cache itself, or changes it. */
const busyTypes: ReadonlySet<OperationType> = new Set([
  'cacheClearing',
  'cacheSizeScan',
  'corruptionDetection',
  'corruptionRemoval',
  'databaseReset',
  'evictionRemoval',
  'evictionScan',
  'gameDetection',
  'gameRemoval',
  'serviceRemoval',
])

/** The daily size scan. */
export function scheduleSizeScan(deps: CacheParts): void {
  deps.schedules.register({
    serviceKey: 'cacheSizeScan',
    intervalHours: deps.config.cacheIndex.sizeScanHours,
    runOnStartup: false,
    run: () => void submitScan(deps, { isSilent: true }),
  })
}

/**
 * Keeps the index in step with the disk: at once, then every few minutes while nothing else looks
 * at the cache. Answers how to stop it.
 */
export function keepIndexFresh(
  deps: Pick<CacheParts, 'cache' | 'config' | 'log' | 'operations'>,
): () => void {
  const { cache, config, log, operations } = deps
  const controller = new AbortController()
  const { refreshMinutes } = config.cacheIndex
  let isWalking = false
  async function refresh(): Promise<void> {
    const isBusy = operations
      .list()
      .some(({ type, finishedAt }) => busyTypes.has(type) && finishedAt === null)
    if (isBusy || isWalking) return
    isWalking = true
    try {
      const run = { signal: controller.signal, progress() {} }
      await cache.walk({ datasource: null, depth: 'directories' }, run)
    } catch (error) {
      if (!controller.signal.aborted) log.warn({ err: error }, 'the index was not refreshed')
    } finally {
      isWalking = false
    }
  }
  if (refreshMinutes === 0) return () => {}
  void refresh()
  const timer = setInterval(() => void refresh(), refreshMinutes * minuteMs)
  timer.unref()
  return () => {
    controller.abort()
    clearInterval(timer)
  }
}
