import { expect, test } from 'bun:test'
import { closeReason, sessionEnds, type SessionEnd } from './session-ends.ts'

test('every reason fits into a close frame', () => {
  const reasons = Object.keys(sessionEnds).map((end) => closeReason(end as SessionEnd))
  expect(reasons).toContain('signedOut: Signed out')
  expect(reasons.filter((reason) => Buffer.byteLength(reason) > 123)).toEqual([])
})
