import { expect, test } from 'bun:test'
import { isHistoryAway, isSignedOut, isUnreachable, Refusal } from './refusal.ts'

test('parses the plain error body and the stage key', () => {
  const refusal = new Refusal(401, {
    stageKey: 'errors.login.invalidCredentials',
    error: 'Not right',
  })
  expect(refusal.message).toBe('Not right')
  expect(refusal.stageKey).toBe('errors.login.invalidCredentials')
  expect(isSignedOut(refusal)).toBe(true)
  expect(isHistoryAway(refusal)).toBe(false)
})

test('parses field errors in both forms', () => {
  const list = new Refusal(400, {
    error: 'Validation failed',
    errors: [{ field: 'Password', message: 'Too short' }, { field: 7 }],
  })
  expect(list.fields).toEqual({ password: 'Too short' })
  const problem = new Refusal(400, { title: 'Bad', errors: { apiKey: ['Required', 'x'] } })
  expect(problem.message).toBe('Bad')
  expect(problem.fields).toEqual({ apikey: 'Required' })
  const detailed = new Refusal(400, { title: 'Bad', detail: 'hours: Expected a number' })
  expect(detailed.message).toBe('hours: Expected a number')
})

test("keeps the server's Retry-After", () => {
  expect(new Refusal(503, null, '7').retryAfterSeconds).toBe(7)
  expect(new Refusal(503, null, 'soon').retryAfterSeconds).toBeNull()
  expect(new Refusal(503, null).message).toBe('HTTP 503')
})

test('a failed connection is not a refusal, nor is what a proxy answers without the service', () => {
  expect(isUnreachable(new TypeError('Failed to fetch'))).toBe(true)
  expect(isUnreachable(new Refusal(500, null))).toBe(false)
  for (const status of [502, 503, 504, 530]) {
    const ofProxy = new Refusal(status, '<html><h1>Bad Gateway</h1></html>')
    expect([isUnreachable(ofProxy), isHistoryAway(ofProxy)]).toEqual([true, false])
  }
  const away = new Refusal(503, { error: 'The history database is not available' })
  expect([isUnreachable(away), isHistoryAway(away)]).toEqual([false, true])
})
