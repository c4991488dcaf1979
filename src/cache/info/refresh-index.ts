import type { CacheParts } from '../parts.ts'

const limitMs = 60_000

/** Reads a cache's folders again after files were deleted; if that fails, the next walk does it. */
export async function refreshIndex(
  { cache, log }: Pick<CacheParts, 'cache' | 'log'>,
  datasource: string,
  { accept = false } = {},
): Promise<void> {
  try {
    const run = { signal: AbortSignal.timeout(limitMs), progress: () => {} }
    await cache.walk({ datasource, depth: 'directories', accept }, run)
  } catch (error) {
    log.warn({ err: error, datasource }, 'the index was not refreshed after files were deleted')
  }
}
