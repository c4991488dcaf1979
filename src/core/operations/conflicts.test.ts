import { describe, expect, test } from 'bun:test'
import { conflict, type ConflictReason, type Job } from './conflicts.ts'
import { operationTypes, type OperationType } from './contract.ts'

const removals = ['gameRemoval', 'serviceRemoval', 'corruptionRemoval', 'evictionRemoval']
const heavy = [
  'logProcessing',
  'logRemoval',
  'gameDetection',
  'cacheSizeScan',
  'evictionScan',
  'corruptionDetection',
]
const globals = ['databaseReset', 'cacheClearing', 'restore']
const singleFlight = [
  'depotMapping',
  'betaMapping',
  'gammaMapping',
  'deltaMapping',
  'epsilonMapping',
  'scheduledPrefill',
]

const scopes = [
  'bulk',
  'alpha:730',
  'alpha:440',
  'beta:fortnite',
  'service:steam',
  'service:epicgames',
  'service:riot',
  'named:riot:valorant',
  'named:riot:league: of legends',
  'datasource:default',
]

const jobs: Job[] = operationTypes.flatMap((type) => scopes.map((scope) => ({ type, scope })))

/** Pairs of scopes of which one touches what the other touches, written out by hand. */
const overlapping = new Set([
  'alpha:730|service:steam',
  'alpha:440|service:steam',
  'beta:fortnite|service:epicgames',
  'named:riot:valorant|service:riot',
  'named:riot:league: of legends|service:riot',
])
const touches = (a: string, b: string): boolean =>
  a === b ||
  a === 'bulk' ||
  b === 'bulk' ||
  overlapping.has(`${a}|${b}`) ||
  overlapping.has(`${b}|${a}`)

/** The rules as the specification lists them, independent of the table's implementation. */
function mustWait(a: Job, b: Job): boolean {
  const either = (list: string[]) => list.includes(a.type) || list.includes(b.type)
  const both = (list: string[]) => list.includes(a.type) && list.includes(b.type)
  const pair = (one: string[], two: string[]) =>
    (one.includes(a.type) && two.includes(b.type)) || (one.includes(b.type) && two.includes(a.type))
  if (pair(['cacheClearing'], ['gameImageFetch', 'statusCheck'])) return false
  if (either(globals) || both(heavy)) return true
  if (a.type === b.type && (a.scope === b.scope || singleFlight.includes(a.type))) return true
  if (pair(['logProcessing', 'logRemoval', 'cacheSizeScan', 'corruptionDetection'], removals)) {
    return true
  }
  if (pair(['evictionScan'], ['evictionRemoval'])) return true
  if (pair(['scheduledPrefill'], ['prefillReady', 'prefillShelf'])) return true
  if (pair(['prefillReady'], ['prefillShelf'])) return true
  return both(removals) && touches(a.scope, b.scope)
}

test('every pair of types and scopes follows the rules, in both directions', () => {
  const wrong: string[] = []
  for (const a of jobs) {
    for (const b of jobs) {
      const waits = conflict(a, b) !== null
      const isSymmetric = waits === (conflict(b, a) !== null)
      if (waits !== mustWait(a, b) || !isSymmetric) {
        wrong.push(`${a.type}(${a.scope}) x ${b.type}(${b.scope})`)
      }
    }
  }
  expect(jobs.length).toBe(350)
  expect(wrong).toEqual([])
})

type Case = [incoming: [OperationType, string], active: [OperationType, string], ConflictReason]

const cases: Case[] = [
  [['gameRemoval', 'alpha:730'], ['gameRemoval', 'alpha:730'], 'duplicate'],
  [['depotMapping', 'full'], ['depotMapping', 'incremental'], 'duplicate'],
  [['scheduledPrefill', 'bulk'], ['scheduledPrefill', 'schedule:x'], 'duplicate'],
  [['depotMapping', 'bulk'], ['cacheClearing', 'bulk'], 'globalOperationActive'],
  [['databaseReset', 'bulk'], ['statusCheck', 'bulk'], 'globalOperationActive'],
  [['logRemoval', 'bulk'], ['logProcessing', 'bulk'], 'heavyOperationActive'],
  [['gameRemoval', 'alpha:730'], ['logProcessing', 'bulk'], 'heavyOperationActive'],
  [['logProcessing', 'bulk'], ['gameRemoval', 'alpha:730'], 'overlappingEntity'],
  [['serviceRemoval', 'service:steam'], ['cacheSizeScan', 'bulk'], 'cacheFileScanActive'],
  [['cacheSizeScan', 'bulk'], ['serviceRemoval', 'service:steam'], 'overlappingEntity'],
  [['corruptionRemoval', 'bulk'], ['corruptionDetection', 'bulk'], 'overlappingEntity'],
  [['evictionRemoval', 'alpha:730'], ['evictionScan', 'bulk'], 'cacheFileScanActive'],
  [['gameRemoval', 'alpha:730'], ['evictionRemoval', 'bulk'], 'bulkActive'],
  [['gameRemoval', 'alpha:730'], ['serviceRemoval', 'service:steam'], 'serviceWideActive'],
  [['corruptionRemoval', 'service:riot'], ['serviceRemoval', 'service:riot'], 'serviceWideActive'],
  [['serviceRemoval', 'service:steam'], ['gameRemoval', 'alpha:730'], 'overlappingEntity'],
  [['gameRemoval', 'beta:x'], ['evictionRemoval', 'beta:x'], 'overlappingEntity'],
  [
    ['gameRemoval', 'named:RIOT:Valorant'],
    ['evictionRemoval', 'named:riot:valorant'],
    'overlappingEntity',
  ],
]

describe('states the reason from the view of the later job', () => {
  test.each(cases)('%p while %p is active: %p', (incoming, active, reason) => {
    const [type, scope] = incoming
    const [activeType, activeScope] = active
    expect(conflict({ type, scope }, { type: activeType, scope: activeScope })).toBe(reason)
  })
})

test('removals of different titles run in parallel', () => {
  const first: Job = { type: 'gameRemoval', scope: 'alpha:730' }
  expect(conflict({ type: 'gameRemoval', scope: 'alpha:440' }, first)).toBeNull()
  expect(conflict({ type: 'evictionRemoval', scope: 'beta:730' }, first)).toBeNull()
  expect(conflict({ type: 'serviceRemoval', scope: 'service:riot' }, first)).toBeNull()
})
