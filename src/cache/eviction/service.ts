import type { CacheParts } from '../parts.ts'
import { everywhere, evictionSchedule, type Eviction } from './eviction.ts'
import { AppError } from '../../core/http/errors.ts'
import { scanStatusOf } from '../../core/operations/scan-status.ts'
import {
  evictedModes,
  type EvictedMode,
  type EvictionChange,
  type EvictionSettings,
} from './model.ts'

/** Parses a mode, ignoring case; throws `invalid`. */
function modeOf(text: string): EvictedMode {
  const found = evictedModes.find((mode) => mode.toLowerCase() === text.toLowerCase())
  if (found !== undefined) return found
  throw new AppError('invalid', 'Invalid eviction mode', {
    extra: { message: `Allowed: ${evictedModes.join(', ')}` },
  })
}

/** Display settings of evicted downloads, and scans on request. */
export function createEvictionSettings(deps: CacheParts, eviction: Eviction) {
  const { settings, operations, schedules } = deps

  const showsScheduled = () => {
    const schedule = schedules.list().find(({ serviceKey }) => serviceKey === evictionSchedule)
    return schedule?.notificationMode === 'all'
  }

  const read = (operationId: string | null = null): EvictionSettings => ({
    evictedDataMode: settings.get('eviction.mode'),
    evictionScanNotifications: showsScheduled(),
    pruneOrphanedDownloads: settings.get('eviction.prunesOrphans'),
    operationId,
  })

  return {
    read: () => read(),

    /**
     * Throws `invalid` for an unknown mode, and for `remove` while a cache's key scheme is unclear.
     */
    async change(change: EvictionChange): Promise<EvictionSettings> {
      const text = change.evictedDataMode ?? ''
      const mode = text === '' ? null : modeOf(text)
      if (mode === 'remove') await eviction.checkSchemes()
      const { evictionScanNotifications, pruneOrphanedDownloads } = change
      const isSwitched = evictionScanNotifications === !showsScheduled()
      if (isSwitched) {
        const notificationMode = evictionScanNotifications ? 'all' : 'manual'
        schedules.change(evictionSchedule, { notificationMode })
      }
      if (typeof pruneOrphanedDownloads === 'boolean') {
        settings.set('eviction.prunesOrphans', pruneOrphanedDownloads)
      }
      if (mode === null) return read()
      settings.set('eviction.mode', mode)
      eviction.changed('eviction-mode')
      return read(mode === 'remove' ? eviction.removeAll(everywhere).operationId : null)
    },

    scanStatus: () => scanStatusOf(operations, 'evictionScan'),

    async reconcile() {
      await eviction.checkSchemes()
      return eviction.scan({ isSilent: false })
    },

    reset: async () => ({ reset: await eviction.reset() }),
  }
}
