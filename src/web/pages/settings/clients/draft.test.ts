import { describe, expect, test } from 'bun:test'
import {
  changesOf,
  entriesOf,
  looksLikeAddress,
  merged,
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

test('moves an entry and stays inside the list', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b', 'c'], 1, 99)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 1, -5)).toEqual(['b', 'a', 'c'])
  expect(moved(['a'], 4, 0)).toEqual(['a'])
})

test('a nickname is refused for the reasons of the server', () => {
  expect(nicknameProblem(' ', [])).toBe('group.nameMissing')
  expect(nicknameProblem('x'.repeat(101), [])).toBe('group.nameLong')
  expect(nicknameProblem('Küche', [])).toBe('group.nameLetters')
  expect(nicknameProblem(' Attic', ['Attic'])).toBe('group.nameTaken')
  expect(nicknameProblem('attic', ['Attic'])).toBeNull()
})

test('tells what is different', () => {
  expect(changesOf(base, { ...base, nickname: 'Attic ' })).toEqual({
    nickname: null,
    description: null,
    separateMemberRows: null,
    added: [],
    removed: [],
    isReordered: false,
  })
  const next = { nickname: 'Loft', description: 'up', separateMemberRows: true }
  expect(changesOf(base, { ...next, memberIps: ['c', 'd'] })).toEqual({
    ...next,
    added: ['d'],
    removed: ['a', 'b'],
    isReordered: false,
  })
  expect(changesOf(base, { ...base, memberIps: ['b', 'a', 'c'] }).isReordered).toBe(true)
  expect(sameDraft(base, { ...base, description: ' ' })).toBe(true)
})

describe('two changes put together', () => {
  test('keep both where they touch different things', () => {
    const mine = { ...base, nickname: 'Loft', memberIps: ['b', 'c', 'x'] }
    const theirs = { ...base, description: 'up', memberIps: ['a', 'b', 'c', 'y'] }
    expect(merged(base, mine, theirs)).toEqual({
      nickname: 'Loft',
      description: 'up',
      separateMemberRows: false,
      memberIps: ['b', 'c', 'y', 'x'],
    })
  })

  test('mine wins where they do not', () => {
    const mine = { ...base, nickname: 'Loft', memberIps: ['c', 'a', 'b'] }
    const theirs = { ...base, nickname: 'Roof' }
    expect(merged(base, mine, theirs)).toEqual(mine)
  })

  test('an order of mine gives way to other members', () => {
    const mine = { ...base, memberIps: ['c', 'a', 'b'] }
    const theirs = { ...base, memberIps: ['a', 'c'] }
    expect(merged(base, mine, theirs).memberIps).toEqual(['a', 'c'])
  })
})

test('reads what somebody pasted', () => {
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
