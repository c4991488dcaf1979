import { expect, test } from 'bun:test'
import { eventually } from './eventually.ts'

test('waits until the condition is true', async () => {
  let checks = 0
  await eventually(() => ++checks === 3, 'the third check')
  await eventually(async () => ++checks === 5, 'the fifth check')
  expect(checks).toBe(5)
})

test.each([
  ['stays false', () => false],
  ['never answers', () => Promise.withResolvers<boolean>().promise],
])('a condition that %s fails with its name', async (_case, condition) => {
  const wait = eventually(condition, 'the impossible', 30)
  expect(await wait.catch(String)).toMatch(/^Error: did not happen in \d+ ms: the impossible$/)
})

test('an error of the condition ends the wait', async () => {
  const wait = eventually(() => Promise.reject(new Error('gone')), 'anything')
  expect(await wait.catch(String)).toBe('Error: gone')
})
