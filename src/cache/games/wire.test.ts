import { expect, test } from 'bun:test'
import { betaNumber } from './wire.ts'

test('the number of a game of Epic is the one that scripts compute', () => {
  expect(betaNumber('Fortnite')).toBe(3_481_039_772)
})
