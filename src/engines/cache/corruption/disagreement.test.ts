import { describe, expect, test } from 'bun:test'
import { oddSlices, siblingFacts, type SliceStatement } from './disagreement.ts'

const slice = (sliceStart: number, facts: Partial<SliceStatement> = {}): SliceStatement => ({
  digest: `digest ${sliceStart}`,
  sliceStart,
  etag: '"a"',
  lastModifiedAt: 5,
  totalLength: 100,
  ...facts,
})
const odd = (slices: SliceStatement[]) =>
  oddSlices(slices).map(({ slice: one, fields }) => [one.sliceStart, ...fields])

describe('slices of one object', () => {
  test('agree regardless of missing slices', () => {
    expect(odd([slice(0), slice(7), slice(1000)])).toEqual([])
    expect(odd([slice(3)])).toEqual([])
    expect(odd([])).toEqual([])
  })

  test('mark the minority as odd, with the facts in which it differs', () => {
    const slices = [slice(0), slice(1, { etag: '"b"', totalLength: 90 }), slice(2), slice(3)]
    expect(odd(slices)).toEqual([[1, 'etag', 'totalLength']])
  })

  test('mark all as odd without a majority', () => {
    const two = [slice(0), slice(1, { lastModifiedAt: 6 })]
    expect(odd(two)).toEqual([
      [0, 'lastModified'],
      [1, 'lastModified'],
    ])
    const halves = [slice(0), slice(1), slice(2, { etag: '"b"' }), slice(3, { etag: '"c"' })]
    expect(odd(halves)).toHaveLength(4)
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
