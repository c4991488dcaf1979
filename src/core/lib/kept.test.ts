import { expect, test } from 'bun:test'
import { keep } from './kept.ts'

test('an answer is shared for its time; failures and what was forgotten are not', async () => {
  let elapsed = 0
  let asked = 0
  let isAway = false
  const answer = keep({ elapsedMs: () => elapsed }, 1000, async () => {
    const number = ++asked
    await Promise.resolve()
    if (isAway) throw new Error('away')
    return number
  })
  expect(await Promise.all([answer.read(), answer.read(), answer.refresh()])).toEqual([1, 1, 1])
  elapsed = 999
  expect(await answer.read()).toBe(1)
  elapsed = 1000
  isAway = true
  expect(answer.read()).rejects.toThrow('away')
  isAway = false
  await Bun.sleep(0)
  expect(await answer.read()).toBe(3)
  expect(await answer.refresh()).toBe(4)
  const early = answer.refresh()
  answer.forget()
  expect([await answer.read(), await early]).toEqual([6, 5])
  expect(await answer.read()).toBe(6)
})
