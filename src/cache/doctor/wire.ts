import type { Static } from '@sinclair/typebox'
import type { ObjectFile, ObjectReport } from '../../engines/cache/doctor/doctor-contract.ts'
import type { DoctorService } from './doctor.ts'
import type { ObjectAnswer, Refetched, Verdict } from './model.ts'

const iso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

const fileWire = (file: ObjectFile) => {
  const { digest, key, path, fileBytes, sliceStart, slice, isFallback, isInIndex } = file
  const { version, etag, hasVary, httpStatus, contentLength, contentRange } = file
  const { headerStart, bodyStart, expectedPayloadBytes, actualPayloadBytes } = file
  const { findings, disagreesIn, notJudged } = file
  return {
    digest,
    key,
    path,
    fileBytes,
    sliceStart,
    slice,
    isFallback,
    isInIndex,
    header: {
      version,
      storedAtUtc: iso(file.storedAt),
      validUntilUtc: iso(file.validUntil),
      lastModifiedUtc: iso(file.lastModifiedAt),
      etag,
      hasVary,
      httpStatus,
      contentLength,
      contentRange,
    },
    framing: { headerStart, bodyStart, expectedPayloadBytes, actualPayloadBytes },
    findings,
    disagreesIn,
    notJudged,
  }
}

/** `incomplete` is normal: only requested slices are stored. */
export function verdictOf({ files, holes, missingAtEnd }: ObjectReport): Verdict {
  if (files.length === 0) return 'absent'
  if (files.some(({ findings }) => findings.length > 0)) return 'broken'
  return holes.length > 0 || missingAtEnd !== null ? 'incomplete' : 'sound'
}

const storedWire = (report: ObjectReport) => {
  const { sliceBytes, objectBytes, storedBytes, isCut, holes, missingAtEnd } = report
  const facts = { sliceBytes, objectBytes, storedBytes, isCut, holes, missingAtEnd }
  return { verdict: verdictOf(report), ...facts, files: report.files.map(fileWire) }
}

type ReadObject = Awaited<ReturnType<DoctorService['object']>>

export const objectWire = ({ report, ...named }: ReadObject): Static<typeof ObjectAnswer> => ({
  datasource: report.datasource,
  path: report.path,
  ...named,
  ...storedWire(report),
})

export const refetchWire = ({
  before,
  after,
  ...rest
}: Awaited<ReturnType<DoctorService['refetch']>>): Static<typeof Refetched> => ({
  datasource: before.datasource,
  path: before.path,
  ...rest,
  before: storedWire(before),
  after: storedWire(after),
})
