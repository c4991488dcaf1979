import { api, unwrap, keys } from '../api/client.ts'
import { useOverlay } from './overlays.ts'
import { useSave } from './use-save.ts'

/** Jobs that can be started from any page; opens their progress. */
export function useStarts() {
  const open = useOverlay()
  const { save } = useSave({ stale: [keys.operations] })
  const start = (run: () => Promise<unknown>) => () =>
    save({ run, after: () => open('operations') })
  return {
    'cache-scan': start(() => unwrap(api.cache.size.get({ query: { force: true } }))),
    'cache-detect': start(() => unwrap(api.games.detect.post({}, { query: {} }))),
    'cache-evicted': start(() => unwrap(api.stats.eviction.reconcile.post())),
    'cache-check': start(() => {
      const query = { detectionMethod: 'structural', scanMode: 'incremental' }
      return unwrap(api.cache.corruption.detect.post(undefined, { query }))
    }),
    'cache-misses': start(() => {
      const query = { detectionMethod: 'repeated_miss' }
      return unwrap(api.cache.corruption.detect.post(undefined, { query }))
    }),
    'run-schedules': start(() => unwrap(api.system.schedules['run-all'].post())),
    backup: start(() => unwrap(api.ext.backups.post())),
  }
}
