import type { CacheParts } from '../parts.ts'
import type { Eviction } from '../eviction/eviction.ts'
import type { Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { hasMoved, usedBytes } from './disk-use.ts'
import { readDetected, type Detected } from './read.ts'
import { runDetection } from './run.ts'

/** Which games lie in the cache. */
export interface Detection {
  /** From now on it runs by the clock. */
  start(): void
  detect(options: { isFull: boolean; isSilent: boolean }): Queued
  /** From the index; without names and evictions that only the history knows while it is away. */
  read(options: { hasDetails: boolean }): Promise<Detected>
  /** Paths of sample files, by the ids of contents. */
  samplePaths(): Promise<Map<number, string[]>>
  /** When games were last looked for; null: never. */
  lastAt(): string | null
  /** Whether the use of a disk has changed much since then. */
  isStale(): Promise<boolean>
}

export function createDetection(
  deps: CacheParts,
  eviction: Pick<Eviction, 'restoreFound'>,
): Detection {
  const { cache, operations, settings, schedules } = deps

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
      run: (context) => runDetection(deps, eviction, { context, isFull }),
      kill: () => cache.forceKill(),
    })

  return {
    start: () =>
      schedules.register({
        serviceKey: 'gameDetection',
        intervalHours: 6,
        // A first start has nothing to show before the first detection.
        runOnStartup: settings.get('detection.last') === null,
        run: () => void detect({ isFull: false, isSilent: true }),
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
      return last !== null && hasMoved(last.usedBytes, await usedBytes(deps))
    },
  }
}
