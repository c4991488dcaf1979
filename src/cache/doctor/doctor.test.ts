import { describe, expect, test } from 'bun:test'
import { gapsOf } from '../../engines/cache/doctor/doctor-object.ts'
import type { RepeatedRequest } from '../../engines/log-scan/tail-contract.ts'
import { readUrl } from './object-name.ts'
import { reasonFor } from './reasons.ts'

describe('a URL', () => {
  test.each([
    ['http://CDN.example.test:80/a/b?c=1#d', 'cdn.example.test', '/a/b?c=1'],
    ['http://cdn.example.test', 'cdn.example.test', '/'],
    ['http://cdn.example.test?a=1', 'cdn.example.test', '/?a=1'],
    [' /depot/1/chunk/%41 ', null, '/depot/1/chunk/%41'],
    ['/a?b#c', null, '/a?b'],
  ])('%p is accepted', (text, host, target) => {
    expect(readUrl(text)).toEqual({ host, target })
  })

  test.each([
    ['', 'missing'],
    ['https://a.test/b', 'fetched over http'],
    ['a.test/b', 'full http address'],
    ['http://user:secret@a.test/b', 'host'],
    ['http://[::1]/b', 'host'],
    ['http:///b', 'host'],
    ['/a\r\nX: y', 'control'],
    [`/${'a'.repeat(4000)}`, 'at most'],
  ])('%p is refused', (text, reason) => {
    expect(() => readUrl(text)).toThrow(reason)
  })
})

const base: RepeatedRequest = {
  client: '10.0.0.1',
  tag: 'steam',
  service: 'steam',
  path: '/a',
  rawUrl: '/a',
  host: 'a.test',
  sliceStart: 0,
  asked: 14,
  quickRepeats: 13,
  statuses: { '206': 14 },
  fromCache: 14,
  fetched: 0,
  bytes: 14 * 1_048_576,
  leastBytes: 1_048_576,
  mostBytes: 1_048_576,
  firstS: 1000,
  lastS: 1040,
}

test('reasons are plain sentences', () => {
  expect(reasonFor(base)).toBe(
    'requested 14 times in 40 s, each answered 206 with 1 MiB from the cache',
  )
  const failing = { ...base, statuses: { '200': 4, '502': 10 }, fromCache: 0, fetched: 14 }
  expect(reasonFor({ ...failing, leastBytes: 157, lastS: 1000 + 600 })).toBe(
    'requested 14 times in 10 min, answered 10 x 502, 4 x 200 with 157 bytes to 1 MiB, fetched again every time',
  )
  expect(reasonFor({ ...base, fromCache: 10, fetched: 4 })).toContain('10 x from the cache')
})

describe('missing slices', () => {
  const slices = (...numbers: number[]) =>
    numbers.map((slice) => ({ slice, sliceStart: slice * 100, httpStatus: 206 }))
  test.each([
    [slices(0, 1, 2), 250, [], null],
    [slices(0, 2, 5), 1000, [1, 1, 3, 4], [6, 9]],
    [slices(3), 400, [0, 2], null],
    [slices(1, 1), null, [0, 0], null],
    [slices(), 400, [], null],
    [[{ slice: 0, sliceStart: 0, httpStatus: 200 }], 1000, [], null],
    [[{ slice: null, sliceStart: null, httpStatus: 206 }], 1000, [], null],
  ])('%#', (files, bytes, holes, end) => {
    const gaps = gapsOf(files, bytes, 100)
    expect(gaps.holes.flatMap(({ first, last }) => [first, last])).toEqual(holes)
    expect(gaps.missingAtEnd).toEqual(
      end === null ? null : { first: Number(end[0]), last: Number(end[1]) },
    )
  })
})
