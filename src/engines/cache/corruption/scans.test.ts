import { afterAll, expect, test } from 'bun:test'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openCache } from '../../../../db/cache/open.ts'
import type { Candidate } from './corruption-contract.ts'
import type { DetectionMethod } from './wire.ts'
import {
  clearScans,
  deleteScan,
  demoteScans,
  dropCandidates,
  listCandidates,
  listScans,
  saveScan,
} from './scans.ts'
import { CacheStore } from '../index/store.ts'

const folder = tempFolder('scans')
const database = openCache(folder)
const store = new CacheStore(database)
afterAll(() => {
  database.close()
})

let clock = 1_800_000_000_000
const candidate = (id: string, service: string): Candidate => ({
  id,
  datasource: 'default',
  service,
  exactPaths: [`/cache/${id}`],
  evidence: {
    kind: 'repeated_miss',
    rawUrl: '/a',
    normalizedUri: '/a',
    observedRange: { kind: 'no_range' },
    cacheSlice: { kind: 'noslice' },
    evidenceCount: 0,
    firstSeen: new Date(0).toISOString(),
    lastSeen: new Date(0).toISOString(),
    observations: [],
    lines: [],
  },
})
function save(id: string, method: DetectionMethod, candidates: Candidate[] = []): void {
  const settings = { threshold: 3, lookbackDays: 30 }
  const rest = { mode: null, completedAt: clock++, settings, coverage: null, summary: null }
  saveScan(store, { id, method, ...rest }, candidates)
}
const shown = () =>
  listScans(store).map(({ id, isCurrent }) => `${id}${isCurrent ? ' current' : ''}`)
const candidateRows = () =>
  (database.query('SELECT count(*) AS n FROM corruption_candidate').get() as { n: number }).n

test('keeps three scans per method, empty ones included; one is current', () => {
  save('a', 'structural', [candidate('1', 'steam'), candidate('2', 'riot'), candidate('3', 'riot')])
  expect(listScans(store)[0]).toMatchObject({
    contractVersion: 4,
    counts: { riot: 2, steam: 1 },
    settings: { threshold: 3 },
  })
  for (const id of ['b', 'c']) save(id, 'structural')
  save('m', 'repeated_miss', [candidate('1', 'steam')])
  expect(shown()).toEqual(['m current', 'c current', 'b', 'a'])
  save('d', 'structural')
  expect(shown()).toEqual(['d current', 'm current', 'c', 'b'])
  expect(candidateRows()).toBe(1)
})

test('demotes one method alone; deleting a scan makes no other one current', () => {
  demoteScans(store, ['repeated_miss'])
  expect(shown()).toEqual(['d current', 'm', 'c', 'b'])
  expect(deleteScan(store, 'd')).toBe(true)
  expect(deleteScan(store, 'd')).toBe(false)
  expect(shown()).toEqual(['m', 'c', 'b'])
  demoteScans(store, ['repeated_miss', 'structural'])
  save('e', 'structural')
  save('f', 'structural')
  expect(shown()).toEqual(['f current', 'e', 'm', 'c'])
})

test('keeps candidates unchanged until they are dropped from their scan', () => {
  const ones = [candidate('1', 'steam'), candidate('2', 'riot'), candidate('3', 'riot')]
  save('g', 'repeated_miss', ones)
  expect(listCandidates(store, 'g', null).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(ones)
  expect(listCandidates(store, 'g', 'riot').map(({ id }) => id)).toEqual(['2', '3'])
  dropCandidates(store, 'g', ['1', '3', 'unknown'])
  expect(listScans(store).find(({ id }) => id === 'g')?.counts).toEqual({ riot: 1 })
  expect(listCandidates(store, 'm', null)).toHaveLength(1)
})

test('hides scans of an older contract; clearing the cache drops all', () => {
  database.run("UPDATE corruption_scan SET contract_version = 3 WHERE id = 'g'")
  expect(shown()).not.toContain('g current')
  clearScans(store)
  expect(shown()).toEqual([])
  expect(candidateRows()).toBe(0)
})
