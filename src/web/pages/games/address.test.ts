import { expect, test } from 'bun:test'
import { gameAddress, isGame } from './address.ts'

test('a row leads to an address and back', () => {
  const row = { id: 'blizzard-name-diablo iv', service: 'blizzard' }
  expect(gameAddress(row)).toEqual({ service: 'blizzard', id: 'name-diablo iv' })
  expect(isGame(row, 'blizzard', 'name-diablo iv')).toBe(true)
  expect(isGame(row, 'steam', 'name-diablo iv')).toBe(false)
  expect(isGame(row, 'blizzard', 'name-diablo')).toBe(false)
})

test('an identity without the service stays as it is', () => {
  expect(gameAddress({ id: 'app-5', service: 'steam' })).toEqual({ service: 'steam', id: 'app-5' })
})
