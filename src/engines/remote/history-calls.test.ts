import { describe, expect, test } from 'bun:test'
import { jsonMutations } from '../../../test/support/json-mutations.ts'
import { downloadIdStep, type ShipBatch } from '../shipper/contract.ts'
import { checkedCall } from './history-calls.ts'

const part = { slot: 3, datasources: ['attic', 'barn'] }
const start = Date.UTC(2026, 10, 21, 10, 0) / 1000
const named = {
  datasource: 'attic',
  service: 'steam',
  client: '10.0.0.5',
  titleKey: 'alpha:441',
  isPrefill: false,
  hitBytes: 10,
  missBytes: 5,
  requests: 2,
}
const batch: ShipBatch = {
  batchId: '0193-a',
  downloads: [
    {
      ...named,
      id: 1000 * downloadIdStep + 3,
      tag: 'steam',
      startedAt: start,
      endedAt: start + 60,
      lastUrl: '/depot/441/chunk/aa',
      objectKeys: ['0 /depot/441/chunk/aa'],
      revision: 1,
    },
  ],
  traffic: [
    {
      ...named,
      bucketAt: start,
      failedRequests: 1,
      downloads: 1,
      firstAt: start + 1,
      lastAt: start + 60,
    },
    // Failed requests alone leave the bounds of a row as they began.
    {
      ...named,
      datasource: 'barn',
      hitBytes: 0,
      missBytes: 0,
      requests: 0,
      bucketAt: start,
      failedRequests: 4,
      downloads: 0,
      firstAt: start + 300,
      lastAt: start,
    },
  ],
  link: {
    installation: 'node',
    epoch: 1,
    seq: 1,
    positions: {
      facts: '{}',
      changes: [{ kind: 'member', id: 1, fields: '{}' }],
      isPartial: false,
    },
  },
}
const calls = [
  { name: 'side' },
  { name: 'prune' },
  { name: 'beginLink', begun: { installation: 'node', seq: 0, batchId: null } },
  { name: 'takePositions', installation: 'node' },
  { name: 'empty', installation: 'node', forgetsTitles: false },
  { name: 'ship', batch },
]

const foreign: unknown[] = [
  'cellar',
  'Attic',
  '',
  'x'.repeat(5000),
  -1,
  4,
  1.5,
  2 ** 53,
  2 ** 50,
  1e300,
  null,
  true,
  {},
  [],
  ['; drop table downloads'],
  { sql: 'select 1' },
]

describe("a node's calls to the history", () => {
  test.each(calls)('$name is taken as it is', (call) => {
    expect(checkedCall(call, part)).toEqual({ call: call as never })
  })

  test.each(calls)('$name writes nothing that is not the own', (call) => {
    const extended = { ...call, query: 'select 1', slot: 0 }
    for (const hostile of [extended, ...jsonMutations(call, foreign)]) {
      const checked = checkedCall(hostile, part)
      if ('refused' in checked) {
        expect(['failed', 'refused']).toContain(checked.refused.kind)
        continue
      }
      if (checked.call.name !== 'ship') continue
      const { downloads, traffic, link } = checked.call.batch
      for (const { datasource } of [...downloads, ...traffic]) {
        expect(part.datasources).toContain(datasource)
      }
      expect(downloads.every(({ id }) => id % downloadIdStep === part.slot)).toBe(true)
      // Positions of the next slot begin there.
      expect(link?.positions?.changes.every(({ id }) => id >= 0 && id < 2 ** 50) ?? true).toBe(true)
      expect(JSON.stringify(checked.call)).not.toContain('select 1')
    }
  })

  test('of another node are refused as rows, so that they are set aside there', () => {
    const checked = checkedCall({ name: 'ship', batch }, { slot: 4, datasources: ['attic'] })
    expect(checked).toMatchObject({ refused: { kind: 'refused', fault: { isOfRow: true } } })
  })
})
