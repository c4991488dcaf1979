import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type {
  CachedCorruption,
  Candidates,
  ScanHistory,
} from '../../../../cache/corruption/model.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { nameOf } from './candidate.ts'

const collator = new Intl.Collator('en', { numeric: true })

export type Method = 'structural' | 'repeated_miss'

export const corruptionKey = [...keys.cache, 'corruption']

const pastOf = (entry: ScanHistory['scans'][number]) => ({
  id: entry.scanId,
  method: entry.detectionMethod,
  mode: entry.scanMode as string | null,
  isCurrent: entry.isCurrent,
  completedAt: entry.completedAtUtc,
  threshold: entry.settings.threshold,
  lookbackDays: entry.settings.lookbackDays,
  counts: entry.corruptionCounts,
  total: entry.totalCorruptedChunks,
  coverage: entry.coverage,
  /** Not stored for past scans. */
  summary: null as CachedCorruption['scanSummary'],
})
/** A finished scan, current or past. */
export type Scan = ReturnType<typeof pastOf>

/** Null before the first scan, and when its findings are stale. */
function currentOf(answer: CachedCorruption): Scan | null {
  const { scanId, detectionMethod, lastDetectionTime } = answer
  if (scanId === null || detectionMethod === null || lastDetectionTime === null) return null
  return {
    id: scanId,
    method: detectionMethod,
    mode: answer.scanMode || null,
    isCurrent: true,
    completedAt: lastDetectionTime,
    threshold: answer.threshold,
    lookbackDays: answer.lookbackDays,
    counts: answer.corruptionCounts ?? {},
    total: answer.totalCorruptedChunks,
    coverage: answer.coverage,
    summary: answer.scanSummary,
  }
}

/** Removable findings of a method's last scan. */
export const useCurrentScan = (detectionMethod: Method) =>
  useAccountRead(
    [...corruptionKey, 'current', detectionMethod],
    (asking) => api.cache.corruption.cached.get({ query: { detectionMethod }, ...asking }),
    { select: (answer) => currentOf(answer) },
  )

/** Newest first, the last three of each method. */
export const useScans = () =>
  useAccountRead([...corruptionKey, 'history'], api.cache.corruption.history.get, {
    select: ({ scans }) => scans.map(pastOf),
  })

/** A scan's findings for one service. */
export const useCandidates = (scan: Scan | null, service: string | null) =>
  useQuery({
    queryKey: [...corruptionKey, 'candidates', scan?.id, service],
    queryFn: ({ signal }): Promise<Candidates> => {
      const scanId = scan?.id ?? ''
      const name = service ?? ''
      const asked = { fetch: { signal } }
      return scan?.isCurrent === true
        ? unwrap(api.cache.services({ name }).corruption.get({ query: { scanId }, ...asked }))
        : unwrap(api.cache.corruption.history({ scanId }).services({ service: name }).get(asked))
    },
    select: (found) => found.toSorted((a, b) => collator.compare(nameOf(a), nameOf(b))),
    enabled: scan !== null && service !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })
