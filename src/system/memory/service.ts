/*
 * Memory figures are those of the process and its children (Postgres) from `/proc`; pages that
 * they share count once. The managed heap is the main thread's; workers, SQLite and Postgres are
 * unmanaged. The runtime has no generations, so their counters are 0.
 */
import { heapStats } from 'bun:jsc'
import { totalmem } from 'node:os'
import type { Static } from '@sinclair/typebox'
import { AppError } from '../../core/http/errors.ts'
import { shownRun } from '../../core/schedules/shown-run.ts'
import type { SystemParts } from '../parts.ts'
import type { GcSettings, GcSettingsBody, GcTriggered, MemoryStats } from './model.ts'
import { processUse } from './processes.ts'

const mib = 1024 ** 2
const gib = 1024 ** 3
const cooldownMs = 5000
const everyHours = 1

/** Steps of older clients; everything but `Disabled` switches collections on. */
const aggressiveness = [
  'disabled',
  'onpageload',
  'every60minutes',
  'every60seconds',
  'every30seconds',
  'every10seconds',
  'every5seconds',
  'every1second',
]

/** Memory that the process may use: the machine's, or its container's limit. */
function availableBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Runs a full collection of the main thread's heap and gives free pages back to the system. */
const collect = () => Bun.gc(true)

/**
 * Memory of the process and its children. `managed` is the JavaScript heap of the main thread;
 * workers' heaps, SQLite and Postgres are `unmanaged`. The runtime has no generations: 0.
 */
function memoryStats(now: Date): Static<typeof MemoryStats> {
  const { heapSize, heapCapacity } = heapStats()
  const use = processUse()
  const capacity = Math.max(heapCapacity, heapSize)
  const amounts = {
    totalSystemMemory: availableBytes(),
    workingSet: use.bytes,
    managed: heapSize,
    unmanaged: Math.max(0, use.bytes - heapSize),
    totalAllocated: heapSize,
    heapSize: capacity,
    fragmented: capacity - heapSize,
  }
  const inBoth = <Name extends string>(name: Name, bytes: number) =>
    ({ [`${name}MB`]: bytes / mib, [`${name}GB`]: bytes / gib }) as Record<
      `${Name}MB` | `${Name}GB`,
      number
    >
  return {
    timestamp: now.toISOString(),
    ...inBoth('totalSystemMemory', amounts.totalSystemMemory),
    ...inBoth('workingSet', amounts.workingSet),
    ...inBoth('managed', amounts.managed),
    ...inBoth('unmanaged', amounts.unmanaged),
    ...inBoth('totalAllocated', amounts.totalAllocated),
    ...inBoth('heapSize', amounts.heapSize),
    ...inBoth('fragmented', amounts.fragmented),
    gen0Collections: 0,
    gen1Collections: 0,
    gen2Collections: 0,
    threadCount: use.threads,
    handleCount: use.handles,
  }
}

/** Whether the body asks for collections; throws `invalid` for an unknown step. */
function isEnabledIn({ enabled, aggressiveness: step }: GcSettingsBody): boolean {
  if (enabled !== null && enabled !== undefined) return enabled
  if (step === null || step === undefined) return false
  const place = aggressiveness.indexOf(step.toLowerCase())
  if (place < 0) throw new AppError('invalid', 'aggressiveness: unknown; use enabled instead')
  return place > 0
}

type Parts = Pick<SystemParts, 'clock' | 'config' | 'log' | 'operations' | 'schedules' | 'settings'>

/** Figures of the memory, collections on request and, where the operator allows it, by schedule. */
export function createMemory({ clock, config, log, operations, schedules, settings }: Parts) {
  let lastMs = -Infinity

  /** Settings without an effect would look like ones that work. */
  function requireManagement(): void {
    if (config.managesMemory) return
    throw new AppError(
      'notFound',
      'Memory management is off; set Optimizations__EnableGarbageCollectionManagement to turn it on',
    )
  }

  const current = () => ({
    enabled: settings.get('memory.collects'),
    memoryThresholdMB: settings.get('memory.thresholdMib'),
  })

  /** Collects if the process is larger than the threshold. */
  function collectIfLarge(): void {
    const { enabled, memoryThresholdMB } = current()
    if (!enabled || process.memoryUsage.rss() < memoryThresholdMB * mib) return
    collect()
    log.info({ rssMib: Math.round(process.memoryUsage.rss() / mib) }, 'memory was collected')
  }

  return {
    start() {
      if (!config.managesMemory) return
      const type = 'performanceOptimization'
      const shown = { type, events: { prefix: 'PerformanceOptimization' } } as const
      schedules.register({
        serviceKey: type,
        intervalHours: everyHours,
        runOnStartup: true,
        card: {
          notificationMode: 'manual',
          operationType: type,
          isListed: () => settings.get('memory.collects'),
        },
        run: shownRun(operations, shown, collectIfLarge),
      })
    },
    stats(isCollecting: boolean) {
      if (isCollecting) collect()
      return memoryStats(clock.now())
    },
    /** Throws `notFound` while memory management is off, like everything below. */
    settings(): GcSettings {
      requireManagement()
      return { ...current(), message: null }
    },
    /** Throws `invalid`. */
    save(body: GcSettingsBody): GcSettings {
      requireManagement()
      settings.set('memory.collects', isEnabledIn(body))
      settings.set('memory.thresholdMib', body.memoryThresholdMB)
      schedules.changed()
      return { ...current(), message: 'The settings were saved' }
    },
    /** At most once in five seconds. */
    trigger(): GcTriggered {
      requireManagement()
      const remainingMs = lastMs + cooldownMs - clock.elapsedMs()
      if (remainingMs > 0) {
        const remainingSeconds = Math.ceil(remainingMs / 100) / 10
        const message = 'Memory was collected a moment ago'
        const sizes = { beforeMB: null, afterMB: null, freedMB: null }
        return { skipped: true, reason: 'cooldown', remainingSeconds, ...sizes, message }
      }
      lastMs = clock.elapsedMs()
      const beforeMB = Math.round(process.memoryUsage.rss() / mib)
      collect()
      const afterMB = Math.round(process.memoryUsage.rss() / mib)
      const sizes = { beforeMB, afterMB, freedMB: beforeMB - afterMB }
      const message = 'Memory was collected'
      return { skipped: false, reason: null, remainingSeconds: null, ...sizes, message }
    },
  }
}

export type Memory = ReturnType<typeof createMemory>
