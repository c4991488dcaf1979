import { countText } from '../../../format/numbers.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import type { Fact } from '../../../components/facts.tsx'
import type { MissEvidence, StructuralEvidence } from './candidate.ts'
import { sliceText } from './texts.ts'

const bytes = (value: number | null): string | null =>
  value === null ? null : t('corruption.byteCount', { count: countText(value) })

/** Nanoseconds since 1970 as text: JSON numbers would lose the last digits. */
const momentOf = (nanoseconds: string): string =>
  fullMomentText(new Date(Number(BigInt(nanoseconds) / 1_000_000n)))

/** Values from the file's header, and its actual size. */
export function headerFacts(evidence: StructuralEvidence): Fact[] {
  const { actualPayloadLength, expectedPayloadLength } = evidence
  return [
    [t('corruption.fileLength'), bytes(evidence.fileLength)],
    [t('corruption.headerStart'), bytes(evidence.headerStart)],
    [t('corruption.bodyStart'), bytes(evidence.bodyStart)],
    [t('corruption.payloadIs'), bytes(actualPayloadLength)],
    [t('corruption.payloadShould'), bytes(expectedPayloadLength)],
    [t('corruption.status'), evidence.httpStatus === null ? null : String(evidence.httpStatus)],
    ['Content-Length', evidence.contentLength === null ? null : countText(evidence.contentLength)],
    ['Content-Range', evidence.contentRange],
    [t('corruption.key'), evidence.cacheKeyText],
    [t('corruption.keyDigest'), evidence.cacheKeyMd5],
    [t('corruption.changedAt'), momentOf(evidence.fingerprint.mtimeNs)],
    [t('corruption.detectedAt'), fullMomentText(new Date(evidence.detectedAtUtc))],
  ]
}

export function missFacts(evidence: MissEvidence): Fact[] {
  return [
    [t('corruption.asked'), evidence.rawUrl],
    [t('corruption.range'), sliceText(evidence.observedRange)],
    [t('corruption.slice'), sliceText(evidence.cacheSlice)],
    [t('corruption.firstMissed'), fullMomentText(new Date(evidence.firstSeen))],
    [t('corruption.lastMissed'), fullMomentText(new Date(evidence.lastSeen))],
  ]
}
