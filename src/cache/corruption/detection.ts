import { Type } from '@sinclair/typebox'
import { QueryInt, type QueryOf } from '../../core/http/schema.ts'
import { requireChoice } from '../../core/http/choice.ts'
import type { Candidate } from '../../engines/cache/corruption/corruption-contract.ts'
import type {
  DetectionMethod,
  EffectiveMode,
  ScanMode,
  ScanSummary,
} from '../../engines/cache/corruption/wire.ts'
import { emptyRecord } from '../../core/lib/record.ts'
import { AppError } from '../../core/http/errors.ts'

/** Parameters of a scan. */
export type Detection =
  | { method: 'structural'; mode: ScanMode }
  | { method: 'repeated_miss'; threshold: number; lookbackDays: number }

const word = Type.Optional(Type.String({ maxLength: 100 }))
export const detectionQuery = {
  detectionMethod: word,
  scanMode: word,
  threshold: QueryInt,
  lookbackDays: QueryInt,
}
export type DetectionQuery = QueryOf<typeof detectionQuery>

export const detectionMethods = ['repeated_miss', 'structural'] as const
const thresholds = [3, 5, 10]
const lookbackMax = 365

/** Validates the query; throws `invalid` with the reason. */
export function readDetection(query: DetectionQuery): Detection {
  const { detectionMethod = 'repeated_miss', threshold = 3, lookbackDays = 30 } = query
  const method = requireChoice(detectionMethods, detectionMethod, 'detectionMethod')
  if (!thresholds.includes(threshold)) {
    throw new AppError('invalid', 'threshold must be 3, 5 or 10')
  }
  if (lookbackDays < 1 || lookbackDays > lookbackMax) {
    throw new AppError('invalid', `lookbackDays must be from 1 to ${lookbackMax}`)
  }
  if (method === 'repeated_miss') {
    if (query.scanMode !== undefined) {
      throw new AppError('invalid', 'scanMode is allowed only with detectionMethod=structural')
    }
    return { method, threshold, lookbackDays }
  }
  return {
    method,
    mode: requireChoice(['full', 'incremental'], query.scanMode ?? 'full', 'scanMode'),
  }
}

/** Equal for scans that would do the same work. */
export const scopeOf = (detection: Detection): string =>
  detection.method === 'structural'
    ? `structural:${detection.mode}`
    : `repeated_miss:${detection.threshold}:${detection.lookbackDays}`

/** Facts of a run that the status adds to those of its operation. */
export interface DetectionRun {
  operationId: string
  detection: Detection
  effectiveMode: EffectiveMode | null
  baselineStatus: string | null
  resumed: boolean | null
  summary: ScanSummary | null
}

/** Totals in the last event of a scan: those of the stored scan. */
export function totalsOf(method: DetectionMethod, candidates: readonly Candidate[]) {
  const corruptionCounts = emptyRecord<number>()
  for (const { service } of candidates) {
    corruptionCounts[service] = (corruptionCounts[service] ?? 0) + 1
  }
  return {
    totalServicesWithCorruption: Object.keys(corruptionCounts).length,
    totalCorruptedChunks: candidates.length,
    corruptionCounts,
    detectionCounts: { [method]: candidates.length },
  }
}

export const stage = (name: string): string => `signalr.corruptionDetect.${name}`
