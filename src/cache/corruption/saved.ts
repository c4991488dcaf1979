import { requireChoice } from '../../core/http/choice.ts'
import type { CacheParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { detectionMethods } from './detection.ts'
import { checkScanId, checkService, currentScan } from './checks.ts'
import type { CachedCorruption, Candidates, ScanHistory } from './model.ts'
import { activeRemovalOf } from './removal.ts'
import { cachedOf, candidateOf, historyEntryOf, noResults } from './wire.ts'

/** Finished scans and their findings. */
export const createSavedScans = (deps: CacheParts) => {
  const { corruption } = deps.cache
  return {
    async cached(wanted = 'repeated_miss'): Promise<CachedCorruption> {
      const method = requireChoice(detectionMethods, wanted, 'detectionMethod')
      const scans = await corruption.scans()
      const scan = scans.find((one) => one.method === method && one.isCurrent)
      return scan === undefined ? noResults : cachedOf(scan)
    },

    async history(): Promise<ScanHistory> {
      return { scans: (await corruption.scans()).map(historyEntryOf) }
    },

    /** Evidence of any stored scan; a removal needs a current one. */
    async evidence(scanId: string, service: string): Promise<Candidates> {
      const name = checkService(service)
      const id = scanId.toLowerCase()
      const scans = await corruption.scans()
      if (!scans.some((scan) => scan.id === id)) throw new AppError('notFound', 'Scan not found')
      return (await corruption.candidates(id, name)).map(candidateOf)
    },

    async forget(scanId: string): Promise<void> {
      const id = scanId.toLowerCase()
      if (activeRemovalOf(deps, id)) {
        throw new AppError(
          'conflict',
          'Files found by this scan are being removed; delete the scan when that has ended',
        )
      }
      if (!(await corruption.deleteScan(id))) throw new AppError('notFound', 'Scan not found')
    },

    async ofService(service: string, scanId: string | undefined): Promise<Candidates> {
      const name = checkService(service)
      const scan = await currentScan(deps, checkScanId(scanId))
      return (await corruption.candidates(scan.id, name)).map(candidateOf)
    },
  }
}
