import { expect, test } from 'bun:test'
import { endOf, silentEnd } from './session-end.ts'

test('what the server says becomes a sentence of ours', () => {
  expect(endOf('The password was changed', false)).toBe('ended.password')
  expect(endOf('The session was ended', true)).toBe('ended.revoked')
  expect(endOf('The session is over', false)).toBe('ended.over')
  expect(endOf('something new', false)).toBe('ended.over')
})

test('a guest whose time is up hears that', () => {
  expect(endOf('The session is over', true)).toBe('ended.guest')
  expect(endOf('', true)).toBe('ended.guest')
  expect([silentEnd(true), silentEnd(false)]).toEqual(['ended.guest', 'ended.over'])
})

test('who signed out needs no explanation', () => {
  expect(endOf('Signed out', false)).toBe('expected')
  expect(endOf('Signed in anew', true)).toBe('expected')
})
