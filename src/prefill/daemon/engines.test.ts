import { expect, test } from 'bun:test'
import { platforms } from '../../engines/titles/titles.ts'
import { hasBuiltinEngine, missingEngine } from './engines.ts'

test('a manager learns without a process which platforms have an engine', () => {
  expect(platforms.filter(hasBuiltinEngine)).toEqual([...platforms])
  expect(missingEngine('beta').text).toBe(
    'Larder has no built-in prefill engine for Epic Games yet; ' +
      'Prefill__Beta__Transport=container works',
  )
})
