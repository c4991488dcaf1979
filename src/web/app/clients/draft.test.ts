import { expect, test } from 'bun:test'
import {
  changesOf,
  entriesOf,
  looksLikeAddress,
  moved,
  nicknameProblem,
  sameDraft,
  type Draft,
} from './draft.ts'

const base: Draft = {
  nickname: 'Attic',
  description: '',
  separateMemberRows: false,
  memberIps: ['a', 'b', 'c'],
}

test("moves an entry within the list's bounds", () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b', 'c'], 1, 99)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 1, -5)).toEqual(['b', 'a', 'c'])
  expect(moved(['a'], 4, 0)).toEqual(['a'])
})

test("a nickname is refused for the server's reasons", () => {
  expect(nicknameProblem(' ', [])).toBe('group.nameMissing')
  expect(nicknameProblem('x'.repeat(101), [])).toBe('group.nameLong')
  expect(nicknameProblem('Küche', [])).toBe('group.nameLetters')
  expect(nicknameProblem(' Attic', ['Attic'])).toBe('group.nameTaken')
  expect(nicknameProblem('attic', ['Attic'])).toBeNull()
})

test('lists the differences between two states', () => {
  expect(changesOf(base, { ...base, nickname: 'Attic ', description: ' ' })).toEqual([])
  const next = { nickname: 'Loft', description: 'up', separateMemberRows: true }
  expect(changesOf(base, { ...next, memberIps: ['c', 'd'] })).toEqual([
    ['conflict.nickname', { name: 'Loft' }],
    ['conflict.description', { text: 'up' }],
    ['conflict.separate'],
    ['conflict.added', { ips: 'd' }],
    ['conflict.removed', { ips: 'a, b' }],
  ])
  expect(changesOf({ ...base, description: 'up' }, base)).toEqual([['conflict.noDescription']])
  expect(changesOf({ ...base, separateMemberRows: true }, base)).toEqual([['conflict.together']])
  expect(changesOf(base, { ...base, memberIps: ['b', 'a', 'c'] })).toEqual([['conflict.reordered']])
  expect(sameDraft(base, { ...base, description: ' ' })).toBe(true)
})

test('reads pasted addresses', () => {
  expect(entriesOf(' 10.0.0.1, 10.0.0.2\n10.0.0.1; pc ')).toEqual(['10.0.0.1', '10.0.0.2', 'pc'])
  expect(entriesOf('  ')).toEqual([])
  expect(['10.0.0.1', 'fd00::1', '300.1', 'pc-7', 'box.lan'].map(looksLikeAddress)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})
