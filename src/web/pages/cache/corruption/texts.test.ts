import { beforeAll, expect, test } from 'bun:test'
import en from '../../../locales/en.corruption.json'
import { setTexts } from '../../../locales/translate.ts'
import type { Job } from '../../../app/use-jobs.ts'
import { nameOf, objectOf, type Candidate, type StructuralEvidence } from './candidate.ts'
import { factsOf } from './scan-facts.ts'
import { integritySearch } from '../integrity/search.ts'
import { reasonText, removalText } from './texts.ts'

beforeAll(() => setTexts(en))

const evidence: StructuralEvidence = {
  kind: 'structural',
  issues: ['content_range_length_mismatch'],
  cacheKeyEncoding: 'hex',
  cacheKey: null,
  cacheKeyMd5: null,
  cacheKeyText: 'steam/depot/1/chunk/abytes=1048576-2097151',
  cacheVersion: 5,
  httpStatus: 206,
  headerStart: 396,
  bodyStart: 512,
  fileLength: 600,
  actualPayloadLength: 88,
  expectedPayloadLength: 4000,
  contentLength: 4000,
  contentRange: null,
  fingerprint: { dev: '1', ino: '2', len: 600, mtimeNs: '0', ctimeNs: '0' },
  detectedAtUtc: '2026-11-20T12:00:00.000Z',
  disagreement: null,
}
const candidate = (part: Partial<StructuralEvidence>): Candidate => ({
  candidateId: 'a',
  datasource: 'default',
  service: 'steam',
  exactPaths: ['/cache/ab/cd/0123'],
  evidence: { ...evidence, ...part },
})

test('a file is named by its cache key without the range, which is next to the reason', () => {
  const shown = candidate({})
  expect(nameOf(shown)).toBe('steam/depot/1/chunk/a')
  expect(reasonText(shown)).toBe('Slice too short or too long · bytes 1,048,576 to 2,097,151')
  expect(objectOf(shown)).toEqual({ tag: 'steam', path: '/depot/1/chunk/a' })
})

test('without a key it is named by its file, and has no object', () => {
  const shown = candidate({ cacheKeyText: null, issues: ['empty_cache_file'] })
  expect(nameOf(shown)).toBe('0123')
  expect(reasonText(shown)).toBe('The file is empty')
  expect(objectOf(shown)).toBeNull()
})

const removal = (part: Partial<Job>): Job => ({
  id: '1',
  type: 'corruptionRemoval',
  scope: 'service:steam',
  name: '',
  nameKey: null,
  nameContext: null,
  status: 'completed',
  percentComplete: 100,
  stageKey: null,
  context: { service: 'steam', files: 3, alreadyMissing: 1, healed: 2, logLines: 0 },
  message: null,
  error: null,
  isSilent: false,
  createdAt: '',
  startedAt: null,
  finishedAt: null,
  ...part,
})

test('a removal reports what it deleted, missed and skipped', () => {
  expect(removalText(removal({}))).toBe(
    'Steam · 3 files deleted · 1 no longer existed · 2 were intact again and were kept',
  )
  expect(removalText(removal({ status: 'failed', error: 'The disk is full' }))).toBe(
    'The disk is full',
  )
  expect(removalText(removal({ status: 'cancelled', context: null }))).toBeNull()
})

test('a running scan shows its reported figures and omits unknown ones', () => {
  const context = {
    detectionMethod: 'structural',
    pass: 'scanning',
    effectiveScanMode: 'baseline',
    filesProcessed: 1500,
    totalFiles: 60_000,
    filesInspected: 1400,
    totalCorrupted: 0,
    filesPerSecond: null,
    etaSeconds: null,
  }
  expect(factsOf(context)).toEqual([
    { label: 'Step', value: 'First full check' },
    { label: 'Files', value: '1,500 of 60,000' },
    { label: 'Files opened', value: '1,400' },
    { label: 'Found so far', value: '0' },
  ])
  const later = { ...context, filesPerSecond: 9000, etaSeconds: 6 }
  expect(factsOf(later).map(({ label }) => label)).toContain('Time left')
})

test('invalid values are dropped from the URL', () => {
  const search = { method: 'other', service: '../x', open: 'default:ab12', scan: 'x', more: '1' }
  expect(integritySearch(search)).toEqual({ open: 'default:ab12' })
})
