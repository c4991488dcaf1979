import type { CacheParts } from '../parts.ts'
import type { Eviction } from '../eviction/eviction.ts'
import type { Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { hasMoved, usedBytes } from './disk-use.ts'
import { readDetected, type Detected } from './read.ts'
import { createDescriber } from '../../engines/catalogue/describe.ts'
import { runDetection } from './run.ts'

/** Under traffic the disk always moves: a detection that takes no longer is repeated by itself. */
const cheapMs = 10_000
/** Shortest time between two of these. */
const pauseMs = 10 * 60_000

/** Finds which games are in the cache. */
export interface Detection {
  /** Starts the schedule. */
  start(): void
  detect(options: { isFull: boolean; isSilent: boolean }): Queued
  /** From the index; leaves out names and evictions while the history is away. */
  read(options: { hasDetails: boolean }): Promise<Detected>
  /** Paths of sample files, by content id. */
  samplePaths(): Promise<Map<number, string[]>>
  /** Time of the last detection; null for never. */
  lastAt(): string | null
  /** Whether disk usage has changed much since; starts a detection that takes only seconds. */
  isStale(): Promise<boolean>
}

export function createDetection(
  deps: CacheParts,
  eviction: Pick<Eviction, 'restoreFound'>,
): Detection {
  const { cache, operations, settings, schedules, clock } = deps
  const describe = createDescriber(deps.config.dataPath)
  let triedMs = 0

  const detect: Detection['detect'] = ({ isFull, isSilent }) =>
    operations.submit({
      type: 'gameDetection',
      scope: 'bulk',
      ...named(isFull ? 'gameDetectionFull' : 'gameDetection'),
      variant: isFull ? 'full' : 'incremental',
      isSilent,
      events: {
        prefix: 'GameDetection',
        startedFields: { scanType: isFull ? 'full' : 'incremental' },
        showNotification: !isSilent,
      },
      run: (context) => runDetection(deps, eviction, { context, isFull, describe }),
      kill: () => cache.forceKill(),
    })

  return {
    start: () =>
      schedules.register({
        serviceKey: 'gameDetection',
        intervalHours: 6,
        runOnStartup: false,
        // On a first start there is nothing to show before the first detection.
        isDueAtStart: settings.get('detection.last') === null,
        card: { notificationMode: 'all', operationType: 'gameDetection' },
        run: (_trigger, { isSilent }) => detect({ isFull: false, isSilent }),
      }),
    detect,
    read: (options) => readDetected(deps, options),
    async samplePaths() {
      const paths = await cache.samplePaths(await cache.contents())
      return new Map(Object.entries(paths).map(([id, list]) => [Number(id), list]))
    },
    lastAt: () => settings.get('detection.last')?.at ?? null,
    async isStale() {
      const last = settings.get('detection.last')
      if (last === null || !hasMoved(last.usedBytes, await usedBytes(deps))) return false
      const nowMs = clock.now().getTime()
      const isCheap = last.tookMs !== undefined && last.tookMs <= cheapMs
      if (isCheap && nowMs - Math.max(triedMs, Date.parse(last.at)) >= pauseMs) {
        triedMs = nowMs
        detect({ isFull: false, isSilent: true })
      }
      return true
    },
  }
}
