import { expect, test } from 'bun:test'
import { gameKey, gameOf, type TitleRow } from './games.ts'

const row = (titleKey: string, facts: Partial<TitleRow>): TitleRow => ({
  titleKey,
  gameName: null,
  gameAppId: null,
  betaAppId: null,
  depotId: null,
  imageUrl: null,
  ...facts,
})

test.each([
  ['alpha:987654', 'steam', {}, 'alpha:987654', 'Unknown Game (Depot 987654)'],
  ['alpha:987654', 'steam', { gameAppId: 10, gameName: 'Ten' }, 'alpha:10', 'Ten'],
  ['alpha:987654', 'steam', { gameName: 'By hand' }, 'alpha:987654', 'By hand'],
  ['alpha:987654', 'steam', { gameAppId: 10 }, 'alpha:10', 'Steam App 10'],
  ['beta:/Builds/x', 'epicgames', { betaAppId: 'b1', gameName: 'B' }, 'beta:b1', 'B'],
  ['gamma:pro', 'blizzard', {}, 'named:blizzard:Overwatch', 'Overwatch'],
  ['epsilon:/f', 'wsus', { gameName: 'Forza' }, 'named:xbox:Forza', 'Forza'],
] as const)('%s of %s with %j is %s', (...[titleKey, service, facts, key, name]) => {
  const game = gameOf(titleKey, service, row(titleKey, facts))
  expect(gameKey(game)).toBe(key)
  expect(game).toMatchObject({ name })
})

test('without a name it belongs to its service, with or without the history', () => {
  expect(gameKey(gameOf('', 'wsus'))).toBe('service:wsus')
  expect(gameKey(gameOf('beta:/Builds/unknown', 'epicgames'))).toBe('service:epicgames')
  expect(gameKey(gameOf('gamma:zzzz', 'blizzard'))).toBe('service:blizzard')
  expect(gameKey(gameOf('gamma:pro', 'blizzard'))).toBe('named:blizzard:Overwatch')
})
