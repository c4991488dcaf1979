/*
 * Games are read from the index. Detection brings the index up to date. Which game a content
 * belongs to is decided when it is asked, from its title key and the history. A name learnt later
 * names what was found before, a removal shows at once, and no list of paths is stored. A full
 * detection compares the fingerprint of every file; the quick one reads only folders that changed.
 */
import type { CacheParts } from '../parts.ts'
import { awayFacts } from '../away/away.ts'
import type { Detection } from '../detection/detection.ts'
import { within } from '../../core/lib/within.ts'
import type { ActiveDetection, CachedDetection, DetectionStarted, SlimDetection } from './model.ts'
import { detectionAnswer, noDetection, slimDetection } from './wire.ts'

/** Sample file paths per game. */
const samplePathsMax = 5

export type Games = ReturnType<typeof createGames>

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

function activeDetection(operations: CacheParts['operations']): ActiveDetection {
  const operation = operations.active('gameDetection')
  if (operation === null) return { isProcessing: false, operation: null, showNotification: true }
  const { message, context } = operation
  const showNotification = !operation.isSilent
  return {
    isProcessing: true,
    showNotification,
    operation: {
      operationId: operation.id,
      startTime: operation.startedAt?.toISOString() ?? null,
      status: operation.status,
      message,
      statusMessage: message,
      percentComplete: operation.percentComplete,
      scanType: operation.name.startsWith('Full') ? 'full' : 'incremental',
      totalGamesDetected: numberOf(context?.totalGamesDetected),
      totalServicesDetected: numberOf(context?.totalServicesDetected),
      error: operation.error,
      showNotification,
      stageKey: operation.stageKey,
      context,
    },
  }
}

/** The dashboard polls often; the index changes only with walks and removals. */
const summaryMs = 10_000
/** A walk may keep the index busy; after this the previous answer is returned. */
const patienceMs = 500

/** The games in the cache. */
export function createGames(deps: CacheParts, detection: Detection) {
  const { operations, settings, datasources, cache, clock } = deps
  let kept: { untilMs: number; answer: Promise<SlimDetection> } | null = null
  let last = noDetection
  const forget = () => void (kept = null)

  async function answer(hasDetails: boolean): Promise<CachedDetection> {
    const detected = await detection.read({ hasDetails })
    const paths = hasDetails ? await detection.samplePaths() : new Map<number, string[]>()
    return detectionAnswer({
      detected,
      pathsOf: ({ contentIds }) =>
        contentIds.flatMap((id) => paths.get(id) ?? []).slice(0, samplePathsMax),
      mode: settings.get('eviction.mode'),
      lastAt: detection.lastAt(),
      isStale: await detection.isStale(),
    })
  }

  return {
    /** Starts invalidating the summary when the index changes. */
    start: () => cache.onChange(forget),
    /** Throws `invalid` while a cache's key scheme is unclear. */
    async detect(isFull: boolean): Promise<DetectionStarted> {
      await datasources.requireClearScheme()
      const queued = detection.detect({ isFull, isSilent: false })
      const isWaiting = queued.status === 'waiting'
      const started = queued.alreadyRunning
        ? 'Game detection is already running'
        : 'Game detection started'
      return {
        message: isWaiting ? 'Game detection waits for another operation' : started,
        operationId: queued.operationId,
        status: isWaiting ? 'waiting' : 'running',
        queued: queued.queued,
        alreadyRunning: queued.alreadyRunning,
      }
    },
    active: () => activeDetection(operations),
    cached: async () => ({ ...(await answer(true)), ...awayFacts(deps) }),
    /** Drops the dashboard's cached summary. */
    forget,
    /** For the dashboard: readable by guests, cached for a few seconds; never waits for a walk. */
    summary(): Promise<SlimDetection> {
      const nowMs = clock.elapsedMs()
      if (kept === null || kept.untilMs <= nowMs) {
        const slim = answer(false).then(slimDetection)
        kept = { untilMs: nowMs + summaryMs, answer: slim }
        slim.then(
          (found) => (last = found),
          () => (kept = null),
        )
      }
      return within(kept.answer, patienceMs, last)
    },
  }
}
