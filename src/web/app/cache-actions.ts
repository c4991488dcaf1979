import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../api/eden.ts'
import { keys } from '../api/keys.ts'
import { notifyError } from '../components/toast.tsx'
import { t } from '../locales/translate.ts'
import { refusalText } from '../api/refusal-text.ts'
import { useOverlay } from './overlays.ts'

/** Scans that can be started from any page; opens their progress. */
export function useCacheActions() {
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
  return [
    {
      id: 'cache-scan',
      label: t('palette.scanCache'),
      run: start(() => unwrap(api.cache.size.get({ query: { force: true } }))),
    },
    {
      id: 'cache-detect',
      label: t('palette.detect'),
      run: start(() => unwrap(api.games.detect.post({}, { query: {} }))),
    },
    {
      id: 'cache-evicted',
      label: t('palette.scanEvicted'),
      run: start(() => unwrap(api.stats.eviction.reconcile.post())),
    },
    {
      id: 'cache-check',
      label: t('corruption.paletteCheck'),
      run: start(() => {
        const query = { detectionMethod: 'structural', scanMode: 'incremental' }
        return unwrap(api.cache.corruption.detect.post(undefined, { query }))
      }),
    },
    {
      id: 'cache-misses',
      label: t('corruption.paletteMisses'),
      run: start(() => {
        const query = { detectionMethod: 'repeated_miss' }
        return unwrap(api.cache.corruption.detect.post(undefined, { query }))
      }),
    },
  ]
}
