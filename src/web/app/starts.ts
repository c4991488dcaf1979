import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap, keys } from '../api/client.ts'
import { notifyError } from '../components/toast.tsx'
import { refusalText } from '../api/refusal-text.ts'
import { useOverlay } from './overlays.ts'

/** Jobs that can be started from any page; opens their progress. */
export function useStarts() {
  const queries = useQueryClient()
  const open = useOverlay()
  const start = (run: () => Promise<unknown>) => () => {
    void run()
      .then(
        () => open('operations'),
        (error: Error) => notifyError(refusalText(error)),
      )
      .finally(() => void queries.invalidateQueries({ queryKey: keys.operations }))
  }
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
