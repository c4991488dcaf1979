import { expect, test } from 'bun:test'
import type { HistorySide, Link } from '../../shipper/link.ts'
import { compareSides, type PositionsSide, type Verdict } from './compare.ts'

const link = (seq: number, more: Partial<Link> = {}): Link => ({
  installation: 'ours',
  epoch: 3,
  seq,
  batchId: seq === 0 ? null : `batch-${seq}`,
  ...more,
})

const positions = (more: Partial<PositionsSide> = {}): PositionsSide => ({
  installation: 'ours',
  link: link(5),
  lastSeq: 6,
  batchIdAt: (seq) => `batch-${seq}`,
  ...more,
})

const history = (shipped: Link | null, more: Partial<HistorySide> = {}): HistorySide => ({
  link: shipped === null ? null : { ...shipped, isComplete: true },
  hasData: true,
  ...more,
})

const fresh = positions({ link: null, lastSeq: 0 })
const empty = { hasData: false }
const cut = { link: { ...link(5), isComplete: false } }
const otherBatch = link(6, { batchId: 'sealed elsewhere' })

test.each<[string, PositionsSide, HistorySide, Verdict]>([
  ['the last batch is acknowledged', positions(), history(link(5)), 'same'],
  ['the acknowledgement is missing', positions(), history(link(6)), 'same'],
  ['one more batch than was sealed here', positions(), history(link(7)), 'positionsOlder'],
  ['the same number, another batch', positions(), history(otherBatch), 'positionsOlder'],
  [
    'positions were taken over since',
    positions(),
    history(link(5, { epoch: 4 })),
    'positionsOlder',
  ],
  ['a batch fewer than it acknowledged', positions(), history(link(4)), 'historyOlder'],
  ['from before positions were taken', positions(), history(link(5, { epoch: 2 })), 'historyOlder'],
  ['from before there were links', positions(), history(null), 'historyOlder'],
  ['made anew', positions(), history(null, empty), 'historyEmpty'],
  ['of others', positions(), history(link(5, { installation: 'theirs' })), 'otherHistory'],
  ['a first start', fresh, history(null, empty), 'begin'],
  ['died before the first batch', fresh, history(link(0), empty), 'begin'],
  ['lost positions', fresh, history(link(5)), 'takeOver'],
  ['lost between parts of a batch', fresh, history(null, cut), 'positionsLost'],
  ['lost, with a history of an older version', fresh, history(null), 'positionsLost'],
  [
    'lost, with a history of others',
    fresh,
    history(link(5, { installation: 'x' })),
    'positionsLost',
  ],
])('%s', (_case, here, there, verdict) => {
  expect(compareSides(here, there)).toBe(verdict)
})
