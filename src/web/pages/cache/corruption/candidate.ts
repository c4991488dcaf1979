import type { Candidates } from '../../../../cache/corruption/model.ts'

/** A file that a scan found, with its evidence. */
export type Candidate = Candidates[number]
export type StructuralEvidence = Extract<Candidate['evidence'], { kind: 'structural' }>
export type MissEvidence = Extract<Candidate['evidence'], { kind: 'repeated_miss' }>

/** Keys of slices end with their byte range. */
export const rangeEnd = /bytes=(\d+)-(\d+)$/

/** Display name: the key without its range, else the file name. */
export const nameOf = ({ evidence, exactPaths }: Candidate): string =>
  (evidence.kind === 'structural'
    ? evidence.cacheKeyText?.replace(rangeEnd, '')
    : evidence.normalizedUri) ?? fileName(exactPaths[0] ?? '')

/** The file's object: the prefix of its cache key, and its path; null without a key. */
export function objectOf({ evidence }: Candidate): { tag: string; path: string } | null {
  if (evidence.kind !== 'structural' || evidence.cacheKeyText === null) return null
  const key = evidence.cacheKeyText.replace(rangeEnd, '')
  const at = key.indexOf('/')
  return at <= 0 ? null : { tag: key.slice(0, at), path: key.slice(at) }
}

const fileName = (path: string): string => path.split('/').at(-1) ?? path
