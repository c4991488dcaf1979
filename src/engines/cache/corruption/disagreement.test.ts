import { describe, expect, test } from 'bun:test'
import { oddSlices, siblingFacts, type SliceStatement } from './disagreement.ts'

const slice = (sliceStart: number, facts: Partial<SliceStatement> = {}): SliceStatement => ({
  digest: `digest ${sliceStart}`,
  sliceStart,
  storedAt: 1000,
  etag: '"a"',
  lastModifiedAt: 5,
  totalLength: 100,
  ...facts,
})
const odd = (slices: SliceStatement[]): (string | number)[][] =>
  oddSlices(slices).map(({ slice: one, fields }) => [one.sliceStart, ...fields])

describe('slices of one object', () => {
  test('agree regardless of missing slices', () => {
    expect(odd([slice(0), slice(7), slice(1000)])).toEqual([])
    expect(odd([slice(3)])).toEqual([])
    expect(odd([])).toEqual([])
  })

  test('are odd if older than the newest, with the facts in which they differ', () => {
    const newer = { etag: '"b"', totalLength: 90, storedAt: 1001 }
    const fields = ['etag', 'totalLength']
    expect(odd([slice(0), slice(1, newer), slice(2), slice(3)])).toEqual([
      [0, ...fields],
      [2, ...fields],
      [3, ...fields],
    ])
    const older = { ...newer, storedAt: 999 }
    expect(odd([slice(0), slice(1, older), slice(2, { storedAt: 5 })])).toEqual([[1, ...fields]])
  })

  test('are all odd where it is not clear which version is the newest', () => {
    const two = [slice(0), slice(1, { lastModifiedAt: 6 }), slice(2, { storedAt: 5 })]
    const all = [0, 1, 2].map((at) => [at, 'lastModified'])
    expect(odd(two)).toEqual(all)
    const later = two.map((one) => (one.sliceStart === 1 ? { ...one, storedAt: 1001 } : one))
    expect(odd(later)).toEqual([all[0] ?? [], all[2] ?? []])
    expect(odd([...later.slice(0, 2), slice(2, { storedAt: null })])).toEqual(all)
  })

  test('treat a fact that is not stated as agreeing', () => {
    const nothing = { etag: null, lastModifiedAt: null, totalLength: null }
    expect(odd([slice(0), slice(1, nothing), slice(2, nothing)])).toEqual([])
    expect(odd([slice(0), slice(1, nothing), slice(2, { etag: '"b"' })])).toEqual([
      [0, 'etag'],
      [2, 'etag'],
    ])
  })

  test('treat weak and strong ETags as equal', () => {
    expect(odd([slice(0), slice(1, { etag: 'W/"a"' })])).toEqual([])
  })

  test('are not compared when one slice has two files (Vary)', () => {
    expect(odd([slice(0), slice(0, { etag: '"b"' }), slice(1, { etag: '"c"' })])).toEqual([])
  })
})

test('are grouped by what they state, most frequent first', () => {
  const own = slice(9, { etag: '"z"' })
  const slices = [slice(0, { etag: '"b"' }), slice(1), slice(2), own]
  expect(siblingFacts(slices, own)).toEqual([
    {
      etag: '"a"',
      lastModifiedAt: 5,
      totalLength: 100,
      slices: 2,
      sampleMd5: 'digest 1',
      sliceStart: 1,
    },
    {
      etag: '"b"',
      lastModifiedAt: 5,
      totalLength: 100,
      slices: 1,
      sampleMd5: 'digest 0',
      sliceStart: 0,
    },
  ])
})
