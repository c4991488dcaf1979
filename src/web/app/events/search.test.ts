import { expect, test } from 'bun:test'
import { comparisonSearch, eventsSearch, idsOf } from './search.ts'

const known = (search: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(eventsSearch(search)).filter(([, value]) => value !== undefined),
  )

test("the calendar's URL keeps valid values", () => {
  const full = { month: '2026-11', view: 'list', state: 'past', open: '12', day: '2026-11-30' }
  expect(known(full)).toEqual(full)
  expect(
    known({ month: '2026-13', view: 'grid', open: 'x', day: '2026-00-10', state: '' }),
  ).toEqual({})
})

test('events to compare: no duplicates, at most six, only valid ids', () => {
  expect(idsOf('3,1,3,0,x,-2,1e9')).toEqual([3, 1])
  expect(idsOf('1,2,3,4,5,6,7')).toHaveLength(6)
  expect(idsOf(undefined)).toEqual([])
  expect(comparisonSearch({ ids: '5,6', metric: 'hits' })).toEqual({ ids: '5,6', metric: 'hits' })
  expect(comparisonSearch({ ids: '', metric: 'served' })).toEqual({})
})
