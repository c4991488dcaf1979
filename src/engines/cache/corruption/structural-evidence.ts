import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SkipReason, StructuralIssue } from '../contract.ts'
import type { Candidate } from './corruption-contract.ts'
import type { DisagreementEvidence, StructuralEvidence } from './wire.ts'
import { isSamePrint, printOf, type ExactPrint } from '../format/fingerprint.ts'
import { readHeadFileLater } from '../format/head-file.ts'
import type { CacheHead } from '../format/header.ts'
import { parseKey, serviceOfKeyTag } from '../format/key-scheme.ts'
import { digestOf } from '../format/key.ts'
import { hasCode } from '../index/tree.ts'

/** A file's current state, checked before and after reading its header. */
export type Inspection =
  | { kind: 'gone' }
  | { kind: 'skipped'; reason: SkipReason }
  | { kind: 'read'; head: CacheHead; print: ExactPrint; modifiedMs: number }

const lstatOf = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })

/** Inspects one file below its canonical folder. Never follows a link; disk errors do not throw. */
export async function inspect(path: string): Promise<Inspection> {
  try {
    const before = lstatOf(path)
    if (before === undefined) return { kind: 'gone' }
    if (before.isSymbolicLink()) return { kind: 'skipped', reason: 'symlink' }
    if (!before.isFile()) return { kind: 'skipped', reason: 'special_file' }
    if (realpathSync(dirname(path)) !== dirname(path)) {
      return { kind: 'skipped', reason: 'foreign_path' }
    }
    const outcome = await readHeadFileLater(path, basename(path))
    if (outcome.kind !== 'read') return outcome
    const after = lstatOf(path)
    if (after === undefined) return { kind: 'gone' }
    const [print, later] = [printOf(before), printOf(after)]
    if (print.ino !== later.ino) return { kind: 'skipped', reason: 'replaced' }
    if (!isSamePrint(print, later)) return { kind: 'skipped', reason: 'changed' }
    const modifiedMs = Number(before.mtimeNs / 1_000_000n)
    return { kind: 'read', head: outcome.head, print, modifiedMs }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return { kind: 'gone' }
    return { kind: 'skipped', reason: 'io_error' }
  }
}

/** Characters allowed in a service's path segment of the URL. */
const serviceName = /^[a-z0-9._-]{1,100}$/

/** The service name as reports show it; `unknown` where it cannot be part of a URL. */
export const reportedService = (service: string): string =>
  serviceName.test(service) ? service : 'unknown'

const keyOf = ({ key }: CacheHead): Buffer | null =>
  key === null ? null : Buffer.from(key.buffer, key.byteOffset, key.byteLength)

/** Makes a structural candidate of an inspected file. */
export function structuralCandidate(
  place: { datasource: string; path: string },
  inspection: Inspection & { kind: 'read' },
  finding: { issues: StructuralIssue[]; disagreement: DisagreementEvidence | null; nowMs: number },
): Candidate {
  const { head, print } = inspection
  const key = keyOf(head)
  const keyMd5 = key === null ? null : digestOf(key)
  const tag = key === null ? undefined : parseKey(key.toString('utf8'))?.tag
  const evidence: StructuralEvidence = {
    kind: 'structural',
    issues: finding.issues,
    cacheKeyEncoding: 'hex',
    cacheKey: key?.toString('hex') ?? null,
    cacheKeyMd5: keyMd5,
    cacheKeyText: key?.toString('utf8') ?? null,
    cacheVersion: 5,
    httpStatus: head.httpStatus,
    headerStart: head.headerStart,
    bodyStart: head.bodyStart,
    fileLength: print.len,
    actualPayloadLength: payloadOf(head, print.len),
    expectedPayloadLength: head.expectedPayloadBytes,
    contentLength: head.contentLength,
    contentRange: head.contentRange,
    fingerprint: print,
    detectedAtUtc: new Date(finding.nowMs).toISOString(),
    disagreement: finding.disagreement,
  }
  const facts = [place.path, keyMd5 ?? '', finding.issues.join(','), print.ino, print.ctimeNs]
  return {
    id: `${place.datasource}:${digestOf(facts.join('\n'))}`,
    datasource: place.datasource,
    service: tag === undefined ? 'unknown' : reportedService(serviceOfKeyTag(tag)),
    exactPaths: [place.path],
    evidence,
  }
}

const payloadOf = ({ bodyStart }: CacheHead, fileBytes: number): number | null =>
  bodyStart === null || bodyStart > fileBytes ? null : fileBytes - bodyStart
