import { describe, expect, test } from 'bun:test'
import { JsonMembers } from './json-members.ts'

/** The members of a text at a depth, written in parts of `size` characters. */
function membersOf(text: string, depth: number, size: number) {
  const found: unknown[] = []
  const members = new JsonMembers(depth, (keys, value) => found.push([...keys, value]))
  for (let at = 0; at < text.length; at += size) members.write(text.slice(at, at + size))
  members.end()
  return found
}

const text =
  '{"a":{"b\\"\\\\":[1,"}\\"{"],"c":{"d":{}} , "e":null},\n"z":[{"q":1},2,[]],"y":{}, "w": 5}'

describe.each([1, 2, 3, 7, 1000])('in parts of %d characters', (size) => {
  test('hands over the values at one depth, with their keys', () => {
    expect(membersOf(text, 2, size)).toEqual([
      ['a', 'b"\\', [1, '}"{']],
      ['a', 'c', { d: {} }],
      ['a', 'e', null],
      ['z', '', { q: 1 }],
      ['z', '', 2],
      ['z', '', []],
    ])
    expect(membersOf('{"l":{"apps":[{"appid":1},{"appid":2}]}}', 3, size)).toEqual([
      ['l', 'apps', '', { appid: 1 }],
      ['l', 'apps', '', { appid: 2 }],
    ])
  })

  test.each(['', '{"a":{"b":1}', '{"a":{"b":"1', '<html>', '{"a":{"b":tru}}', '}'])(
    'refuses %p',
    (bad) => expect(() => membersOf(bad, 2, size)).toThrow(),
  )
})

test('refuses a value that would not fit into memory', () => {
  const members = new JsonMembers(2, () => {})
  members.write('{"a":{"b":"')
  const piece = 'x'.repeat(256 * 1024)
  expect(() => {
    for (let at = 0; at < 6; at++) members.write(piece)
  }).toThrow('too long')
})
