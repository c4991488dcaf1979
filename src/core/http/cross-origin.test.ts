import { beforeAll, describe, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'

const friend = 'https://friend.example'
const stranger = 'https://stranger.example'

describe.each([
  ['nobody', '', null, null],
  ['one origin', `${friend}/`, [friend, 'true'], null],
  ['everybody', '*', ['*', null], ['*', null]],
  ['everybody, one with cookies', `*, ${friend}`, [friend, 'true'], ['*', null]],
] as const)('%s allowed', (_, list, forFriend, forStranger) => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ environment: { Security__AllowedOrigins: list } })
  })

  const granted = ({ headers }: Response) => {
    const origin = headers.get('Access-Control-Allow-Origin')
    return origin === null ? null : [origin, headers.get('Access-Control-Allow-Credentials')]
  }

  test.each([
    [friend, forFriend],
    [stranger, forStranger],
    ['null', forStranger],
  ])('%s', async (origin, expected) => {
    const answer = await app.request('/api/auth/status', { headers: { Origin: origin } })
    expect(answer.status).toBe(200)
    expect(granted(answer)).toEqual(expected as [string, string | null] | null)
    const asked = await app.request('/api/auth/login', {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type, x-antiforgery-token',
      },
    })
    expect(granted(asked)).toEqual(expected as [string, string | null] | null)
    expect(asked.status).toBe(expected === null ? 405 : 204)
    expect(asked.headers.get('Access-Control-Allow-Headers')).toBe(
      expected === null ? null : 'content-type, x-antiforgery-token',
    )
  })

  test('a request without an origin gets no headers', async () => {
    expect(granted(await app.request('/api/auth/status'))).toBeNull()
  })
})
