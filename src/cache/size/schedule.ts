import type { CacheParts } from '../parts.ts'
import type { OperationType } from '../../core/operations/contract.ts'
import { submitScan } from './scan.ts'

const minuteMs = 60_000
/** These operations walk or change the cache themselves. */
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
    card: { notificationMode: 'all', operationType: 'cacheSizeScan' },
    run: (_trigger, { isSilent }) => submitScan(deps, { isSilent }),
  })
}

/**
 * Keeps the index up to date with the disk: immediately, then every few minutes while no other
 * operation uses the cache. Returns a function that stops it.
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
