import type { Static } from '@sinclair/typebox'
import type { ObjectPiece, ObjectReport } from '../../engines/cache/doctor/doctor-contract.ts'
import type { DoctorService } from './doctor.ts'
import type { ObjectAnswer, Refetched, Verdict } from './model.ts'

const iso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

const pieceWire = (piece: ObjectPiece) => {
  const { digest, key, path, fileBytes, sliceStart, slice, isFallback, isInIndex } = piece
  const { version, etag, hasVary, httpStatus, contentLength, contentRange } = piece
  const { headerStart, bodyStart, expectedPayloadBytes, actualPayloadBytes } = piece
  const { findings, disagreesIn, notJudged } = piece
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
      storedAtUtc: iso(piece.storedAt),
      validUntilUtc: iso(piece.validUntil),
      lastModifiedUtc: iso(piece.lastModifiedAt),
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
export function verdictOf({ pieces, holes, missingAtEnd }: ObjectReport): Verdict {
  if (pieces.length === 0) return 'absent'
  if (pieces.some(({ findings }) => findings.length > 0)) return 'broken'
  return holes.length > 0 || missingAtEnd !== null ? 'incomplete' : 'sound'
}

const storedWire = (report: ObjectReport) => {
  const { sliceBytes, objectBytes, storedBytes, isCut, holes, missingAtEnd } = report
  const facts = { sliceBytes, objectBytes, storedBytes, isCut, holes, missingAtEnd }
  return { verdict: verdictOf(report), ...facts, pieces: report.pieces.map(pieceWire) }
}

type Looked = Awaited<ReturnType<DoctorService['object']>>

export const objectWire = ({ report, ...named }: Looked): Static<typeof ObjectAnswer> => ({
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
