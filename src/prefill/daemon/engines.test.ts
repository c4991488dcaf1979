import { expect, test } from 'bun:test'
import { platforms } from '../../engines/titles/titles.ts'
import { hasBuiltinEngine, missingEngineText } from './engines.ts'

test('a manager learns without a process which platforms have an engine', () => {
  expect(platforms.filter(hasBuiltinEngine)).toEqual(['gamma'])
  expect(missingEngineText('delta')).toBe(
    'Larder has no built-in prefill engine for Riot Games yet; ' +
      'Prefill__Delta__Transport=container works',
  )
})
