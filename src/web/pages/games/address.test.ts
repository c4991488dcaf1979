import { expect, test } from 'bun:test'
import { gameAddress } from './address.ts'

test('a row leads to an address', () => {
  const row = { id: 'blizzard-name-diablo iv', service: 'blizzard' }
  expect(gameAddress(row)).toEqual({ service: 'blizzard', id: 'name-diablo iv' })
})

test('an identity without the service stays as it is', () => {
  expect(gameAddress({ id: 'app-5', service: 'steam' })).toEqual({ service: 'steam', id: 'app-5' })
})
