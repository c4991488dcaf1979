import { expect, test } from 'bun:test'
import { countOf, measureSlowness, sum } from './test-run.ts'

test('reads the summary of the runner', () => {
  const first = '(pass) a > b [1ms]\nerror: too late\n\n  at x.ts:3\n(fail) a > c [10.52ms]\n'
  const named = `${first}(fail) d\n(fail) d\n`
  const output = `${named}\n 12 pass\n 3 fail\n 1 error\n 40 expect() calls\n`
  expect(countOf(output, 1)).toEqual({
    passed: 12,
    failed: 4,
    failures: ['a > c\nerror: too late\n  at x.ts:3', 'd'],
  })
})

test('a crash without a failed test is a failure', () => {
  expect(countOf(' 12 pass\n 0 fail\n', 139)).toMatchObject({ passed: 12, failed: 1 })
})

test('a run without tests is a failure', () => {
  expect(countOf('no tests\n', 0)).toMatchObject({ passed: 0, failed: 1 })
})

test('sums up runs', () => {
  const counts = [
    { passed: 2, failed: 0, failures: [] },
    { passed: 3, failed: 1, failures: ['a'] },
  ]
  expect(sum(counts)).toEqual({ passed: 5, failed: 1, failures: ['a'] })
  expect(sum([])).toEqual({ passed: 0, failed: 0, failures: [] })
})

test('limits grow with a slow machine, within bounds, and never shrink', () => {
  const slowness = measureSlowness()
  expect(slowness).toBeGreaterThanOrEqual(1)
  expect(slowness).toBeLessThanOrEqual(8)
})
