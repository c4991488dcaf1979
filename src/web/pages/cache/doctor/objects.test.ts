import { expect, test } from 'bun:test'
import { objectsOf } from './objects.ts'
import type { Suspect } from './queries.ts'

const suspect = (part: Partial<Suspect>): Suspect => ({
  datasource: 'default',
  client: '10.0.0.1',
  tag: 'steam',
  service: 'steam',
  path: '/depot/1/chunk/a',
  url: '/depot/1/chunk/a',
  host: 'cdn.example',
  slice: null,
  asked: 2,
  quickRepeats: 1,
  statuses: { 206: 2 },
  fromCache: 0,
  fetched: 2,
  bytes: 10,
  leastBytes: 5,
  mostBytes: 5,
  firstSeenUtc: '2026-11-21T10:00:00Z',
  lastSeenUtc: '2026-11-21T10:05:00Z',
  isInIndex: true,
  suspicion: 1,
  reason: 'repeated',
  ...part,
})

test('an object is listed once, with its slices and clients', () => {
  const objects = objectsOf([
    suspect({ slice: 7, asked: 5, lastSeenUtc: '2026-11-21T10:01:00Z' }),
    suspect({ path: '/b' }),
    suspect({ slice: 3, client: '10.0.0.2', lastSeenUtc: '2026-11-21T10:09:00Z' }),
    suspect({ slice: 7, client: '10.0.0.2' }),
  ])
  expect(objects.map(({ first }) => first.path)).toEqual(['/depot/1/chunk/a', '/b'])
  expect(objects[0]).toMatchObject({
    slices: [3, 7],
    clients: ['10.0.0.1', '10.0.0.2'],
    asked: 9,
    lastSeenUtc: '2026-11-21T10:09:00Z',
  })
  expect(objects[1]?.slices).toEqual([])
})

test('the same path under another tag or in another cache is another object', () => {
  expect(
    objectsOf([suspect({}), suspect({ tag: 'x' }), suspect({ datasource: 'b' })]),
  ).toHaveLength(3)
})
