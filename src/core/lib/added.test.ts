import { expect, test } from 'bun:test'
import { added } from './added.ts'

test('numbers are added, also those that only one of two objects has', () => {
  const one = { name: 'a', files: 1, skipped: { old: 1 } as Record<string, number>, list: [1] }
  const other = { name: 'b', files: 2, skipped: { old: 2, young: 3 }, list: [2] }
  expect(added(one, other)).toEqual({ ...one, files: 3, skipped: { old: 3, young: 3 } })
})
