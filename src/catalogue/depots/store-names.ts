import { HistoryUnavailable } from '../../../db/history/history.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { CatalogueParts } from '../parts.ts'
import { applyNames, downloadedApps } from './apply.ts'

/** Apps that the store is asked for after one run: some five minutes. */
const appsPerRun = 200
/** Apps of downloads that are considered at all. */
const appsMax = 5000

type Parts = Pick<CatalogueParts, 'catalogue' | 'config' | 'history' | 'state' | 'log'>

/**
 * Names and header images by the Steam store, after a run and beside everything else: slowly, only
 * for apps of downloads, and each app once a month.
 */
export function createStoreNames(
  parts: Parts,
  { signal, named }: { signal: AbortSignal; named: () => void },
) {
  const { catalogue, config, log } = parts
  let isBusy = false

  async function lookUp(): Promise<void> {
    const appIds = await downloadedApps(parts, appsMax)
    const request = { baseUrl: config.alpha.storeBaseUrl, appIds, limit: appsPerRun }
    const found = await catalogue.lookUp(request, signal)
    if (found.length === 0 || signal.aborted) return
    const { titles } = await applyNames(parts, { signal, progress: () => {} })
    if (titles > 0) named()
  }

  return {
    /** Starts looking up, unless it is already going on. Never rejects. */
    kick(): void {
      if (isBusy) return
      isBusy = true
      lookUp()
        .catch((error: unknown) => {
          const isExpected = error instanceof HistoryUnavailable || error instanceof EngineFailure
          if (!isExpected) log.warn({ err: error }, 'names of the Steam store could not be read')
        })
        .finally(() => (isBusy = false))
    },
  }
}
