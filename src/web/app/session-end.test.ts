import { expect, test } from 'bun:test'
import { closeReason } from '../../core/live/session-ends.ts'
import { endOf, silentEnd } from './session-end.ts'

test("the server's reason becomes a localised sentence", () => {
  expect(endOf(closeReason('passwordChanged'), false)).toBe('ended.password')
  expect(endOf(closeReason('revoked'), true)).toBe('ended.revoked')
  expect(endOf(closeReason('over'), false)).toBe('ended.over')
  expect(endOf('something new', false)).toBe('ended.over')
})

test('an expired guest gets an explanation', () => {
  expect(endOf(closeReason('over'), true)).toBe('ended.guest')
  expect(endOf('', true)).toBe('ended.guest')
  expect([silentEnd(true), silentEnd(false)]).toEqual(['ended.guest', 'ended.over'])
})

test('signing out needs no explanation', () => {
  expect(endOf(closeReason('signedOut'), false)).toBe('expected')
  expect(endOf(closeReason('signedIn'), true)).toBe('expected')
})
