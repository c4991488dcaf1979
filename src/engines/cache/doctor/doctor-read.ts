import { basename } from 'node:path'
import type { ObjectFile } from './doctor-contract.ts'
import { fallbackStart, objectHashOf, parseKey } from '../format/key-scheme.ts'
import type { ObjectPlace } from './doctor-find.ts'
import { inspect, type Inspection } from '../corruption/structural-evidence.ts'

/** A cache file, with what identifies it as still the same file. */
export interface FoundCacheFile {
  file: ObjectFile
  inspection: Inspection & { kind: 'read' }
}

const safeSeconds = 253_402_300_799

/** Whether a file's key is one of the object's; without a readable key the file name decides. */
function belongs(place: ObjectPlace, digest: string, key: Uint8Array | null, own: string[]) {
  if (key === null) return own.includes(digest)
  const parsed = parseKey(Buffer.from(key).toString('utf8'))
  if (parsed === null || parsed.tag !== place.format.keyTag) return false
  return objectHashOf(parsed.tag, parsed.uri) === objectHashOf(place.format.keyTag, place.uri)
}

/**
 * Inspects one file of the object. `own`: file names derived from the object's keys in this place.
 * Null: missing, not a regular file, or not of this object.
 */
export async function readCacheFile(
  place: ObjectPlace,
  path: string,
  { own, isInIndex, guess }: { own: string[]; isInIndex: boolean; guess: number | null },
): Promise<FoundCacheFile | null> {
  const inspection = await inspect(path)
  if (inspection.kind !== 'read') return null
  const { head, print } = inspection
  const digest = basename(path)
  if (!belongs(place, digest, head.key, own)) return null
  const key = head.key === null ? null : Buffer.from(head.key).toString('utf8')
  const parsed = key === null ? null : parseKey(key)
  const start = parsed === null ? guess : parsed.sliceStart
  const sliceStart = start !== null && start >= 0 ? start : null
  const hasPayload = head.bodyStart !== null && head.bodyStart <= print.len
  return {
    inspection,
    file: {
      digest,
      key,
      path,
      fileBytes: print.len,
      sliceStart,
      slice: sliceStart === null ? null : sliceStart / Math.max(1, sliceLength(parsed, place)),
      isFallback: start === fallbackStart,
      version: isVersion(head.version) ? head.version : null,
      storedAt: head.storedAt > 0 && head.storedAt <= safeSeconds ? head.storedAt : null,
      validUntil: head.validUntil === 0 ? null : timeOf(head.validUntil),
      lastModifiedAt: timeOf(head.lastModifiedAt),
      etag: head.etag === '' ? null : head.etag,
      hasVary: head.hasVary,
      httpStatus: head.httpStatus,
      contentLength: head.contentLength,
      contentRange: head.contentRange,
      headerStart: head.headerStart,
      bodyStart: head.bodyStart,
      expectedPayloadBytes: head.expectedPayloadBytes,
      actualPayloadBytes: hasPayload ? print.len - (head.bodyStart ?? 0) : null,
      findings: head.issues,
      disagreesIn: [],
      notJudged: head.skipped,
      isInIndex,
    },
  }
}

const isVersion = (number: number | null) =>
  number !== null && number >= 0 && Number.isSafeInteger(number)

const timeOf = (seconds: number): number | null =>
  seconds >= 0 && seconds <= safeSeconds ? seconds : null

const sliceLength = (
  parsed: { sliceStart: number; sliceEnd: number } | null,
  { sliceBytes }: ObjectPlace,
): number => (parsed === null ? sliceBytes : parsed.sliceEnd - parsed.sliceStart + 1)
