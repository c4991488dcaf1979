import { expect, test } from 'bun:test'
import { checkPassword, isAcceptable } from './password-rules.ts'

test('the rules one by one', () => {
  expect(checkPassword('', 'anna')).toEqual({
    isLongEnough: false,
    hasThreeClasses: false,
    differsFromName: false,
  })
  expect(isAcceptable(checkPassword('Correct-Horse-9', 'anna'))).toBe(true)
  expect(checkPassword('abcdefghijkl', 'anna')).toMatchObject({
    isLongEnough: true,
    hasThreeClasses: false,
  })
  expect(checkPassword('müllerstraße12', 'anna').hasThreeClasses).toBe(false)
  expect(checkPassword('Anna-Anna-1234', ' anna-anna-1234 ').differsFromName).toBe(false)
  expect(checkPassword(`Aa1${'x'.repeat(254)}`, 'anna').isLongEnough).toBe(false)
})
