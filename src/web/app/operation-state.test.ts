import { expect, test } from 'bun:test'
import type { Operation } from '../api/queries.ts'
import { isOver, mergeOperation, secondsLeft } from './operation-state.ts'

const startedAt = '2026-11-21T12:00:00Z'
const at = (seconds: number) => Date.parse(startedAt) + seconds * 1000
const running = { status: 'running', startedAt } as const

test('extrapolates at the current pace', () => {
  expect(secondsLeft({ ...running, percentComplete: 25 }, at(60))).toBe(180)
})

test('gives no early estimate', () => {
  expect(secondsLeft({ ...running, percentComplete: 1 }, at(60))).toBeNull()
  expect(secondsLeft({ ...running, percentComplete: 50 }, at(2))).toBeNull()
  expect(secondsLeft({ ...running, percentComplete: 100 }, at(60))).toBeNull()
  expect(secondsLeft({ ...running, status: 'waiting', percentComplete: 50 }, at(60))).toBeNull()
  expect(secondsLeft({ ...running, startedAt: null, percentComplete: 50 }, at(60))).toBeNull()
})

test('ended states', () => {
  expect(isOver({ status: 'failed' })).toBe(true)
  expect(isOver({ status: 'cancelling' })).toBe(false)
})

const operation = (id: string, status: Operation['status']): Operation => ({
  id,
  type: 'logProcessing',
  scope: 'bulk',
  name: id,
  nameKey: null,
  nameContext: null,
  status,
  percentComplete: 0,
  stageKey: null,
  context: null,
  message: null,
  error: null,
  isSilent: false,
  createdAt: startedAt,
  startedAt: null,
  finishedAt: null,
})

test('an event moves an operation to the matching list', () => {
  const overview = {
    running: [operation('a', 'running'), operation('b', 'running')],
    waiting: [
      { ...operation('c', 'waiting'), blockedBy: { name: 'a', nameKey: null, nameContext: null } },
    ],
    recent: [],
  }
  const ids = (list: Operation[] | undefined) => list?.map(({ id }) => id)
  const ended = mergeOperation(overview, operation('a', 'failed'))
  expect([ids(ended?.running), ids(ended?.waiting), ids(ended?.recent)]).toEqual([
    ['b'],
    ['c'],
    ['a'],
  ])
  const started = mergeOperation(ended, operation('c', 'running'))
  expect([ids(started?.running), ids(started?.waiting)]).toEqual([['b', 'c'], []])
  expect(ids(mergeOperation(overview, operation('a', 'cancelling'))?.running)).toEqual(['a', 'b'])
  expect(mergeOperation(overview, operation('c', 'waiting'))?.waiting[0]?.blockedBy?.name).toBe('a')
  expect(mergeOperation(undefined, operation('a', 'running'))).toBeUndefined()
})
