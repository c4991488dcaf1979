import { expect, test } from 'bun:test'
import { gameAddress, gameOfDownload } from './game-address.ts'

test('a row leads to a page', () => {
  const row = { id: 'blizzard-name-diablo iv', service: 'blizzard' }
  expect(gameAddress(row)).toEqual({ service: 'blizzard', id: 'name-diablo iv' })
})

test('an identifier without the service is kept', () => {
  expect(gameAddress({ id: 'app-5', service: 'steam' })).toEqual({ service: 'steam', id: 'app-5' })
})

test('a single download leads to its game if known', () => {
  const download = { service: 'steam', gameName: 'Dota 2', gameAppId: 570, betaAppId: null }
  expect(gameOfDownload(download)).toEqual({ service: 'steam', id: 'app-570' })
  expect(gameOfDownload({ ...download, gameAppId: null })?.id).toBe('name-dota 2')
  expect(gameOfDownload({ ...download, gameAppId: 0, betaAppId: 'x' })?.id).toBe('beta-x')
  expect(gameOfDownload({ ...download, gameAppId: null, gameName: null })).toBeNull()
})
