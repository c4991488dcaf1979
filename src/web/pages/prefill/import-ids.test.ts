import { expect, test } from 'bun:test'
import { pastedIds, sortIds } from './import-ids.ts'
import { authorizationCode } from '../../components/platforms/questions.ts'

test.each([
  ['440, 570,730', ['440', '570', '730']],
  ['[440, "570"]', ['440', '570']],
  ['440\n570\r\n\n440', ['440', '570']],
  ['s1, wow_classic', ['s1', 'wow_classic']],
  ['  ', []],
])('ids in %p', (text, ids) => {
  expect(pastedIds(text)).toEqual(ids)
})

test('pasted ids are sorted by what becomes of them', () => {
  const owned = new Set(['1', '2'])
  expect(sortIds(['1', '2', '3'], { owned, selected: new Set(['2']) })).toEqual({
    added: ['1'],
    already: ['2'],
    unknown: ['3'],
  })
})

test('the code is found in the page that shows it', () => {
  const page = '{"redirectUrl":"https://x.test","authorizationCode":"abc123","sid":null}'
  expect(authorizationCode(page)).toBe('abc123')
  expect(authorizationCode(' "abc123" ')).toBe('abc123')
})
