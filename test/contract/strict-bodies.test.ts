import { describe, expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { signInOwner } from '../support/sign-in.ts'

/** The default of `curl -d`. */
const formType = 'application/x-www-form-urlencoded'

const app = await testApp({ isIngesting: true })
const owner = await signInOwner(app)

const read = async (path: string): Promise<unknown> => (await owner.get(path)).json()

describe('JSON without its media type is refused', () => {
  const source = '/api/system/datasources/default/cache-size'
  test.each([
    ['POST', '/api/auth/guest/config/lock', { isLocked: true }, '/api/auth/guest/config'],
    ['PUT', '/api/user-preferences', { sharpCorners: true }, '/api/user-preferences'],
    ['PATCH', '/api/logs/position', { position: 0 }, '/api/logs/positions'],
    ['PUT', source, { size: '500g' }, '/api/cache'],
  ])('%s %s', async (method, path, body, shown) => {
    // Not the defaults, which an empty form would restore.
    expect((await owner.send(method, path, { body })).status).toBe(200)
    const before = await read(shown)
    const form = new Blob([JSON.stringify(body)], { type: formType })
    const answer = await owner.send(method, path, { body: form })
    expect(answer.status).toBe(415)
    expect(((await answer.json()) as { error: string }).error).toContain('application/json')
    // Neither does a call without a body.
    expect((await owner.send(method, path)).status).toBe(400)
    expect(await read(shown)).toEqual(before)
  })
})

describe('a string is not accepted as a list', () => {
  test('replacing group members with a string keeps them', async () => {
    const body = { nickname: 'desk', initialIps: ['10.0.0.1', '10.0.0.2'] }
    const group = (await (await owner.post('/api/client-groups', body)).json()) as { id: number }
    const path = `/api/client-groups/${group.id}`
    for (const clientIps of ['', '10.0.0.1', { 0: '10.0.0.1' }]) {
      expect((await owner.put(`${path}/members`, { clientIps })).status).toBe(400)
    }
    expect(await read(path)).toMatchObject({ memberIps: ['10.0.0.1', '10.0.0.2'] })
  })

  test('a new group does not split it into characters', async () => {
    const body = { nickname: 'shelf', initialIps: '10.0.0.7' }
    const answer = await owner.post('/api/client-groups', body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      errors: { initialIps: ['Expected a list or null, received "10.0.0.7"'] },
    })
  })
})

test("a null character does not affect another service's lines", async () => {
  const answer = await owner.delete('/api/logs/datasources/default/services/ep%00icgames')
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ errors: { service: ['Contains a null character'] } })
})

test('the maximum number of rules fits into one body', async () => {
  const rules = Array.from({ length: 1000 }, (_, index) => ({
    ip: `2001:db8:1111:2222:3333:4444:5555:${(4096 + index).toString(16)}`,
    mode: 'exclude',
  }))
  const body = new Blob([JSON.stringify({ rules }, null, 2)], { type: 'application/json' })
  expect(body.size).toBeGreaterThan(64 * 1024)
  expect((await owner.send('PUT', '/api/stats/exclusions', { body })).status).toBe(200)
  expect((await owner.put('/api/stats/exclusions', { rules: [] })).status).toBe(200)
})

describe('methods that a path does not support', () => {
  test.each([
    ['POST', '/api/version', 'GET, HEAD'],
    ['OPTIONS', '/api/user-preferences/', 'GET, HEAD, PUT'],
    ['GET', '/api/auth/login', 'POST'],
    ['PATCH', '/api/client-groups/7', 'DELETE, GET, HEAD, PUT'],
  ])('%s %s', async (method, path, allowed) => {
    const answer = await app.request(path, { method })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, allowed])
  })

  test.each(['/hubs/downloads', '/hubs/alpha-daemon', '/api/ext/nodes/connect'])(
    'a request for %s that opens no WebSocket',
    async (path) => {
      const answer = await owner.get(path)
      expect([answer.status, answer.headers.get('Upgrade')]).toEqual([426, 'websocket'])
      expect(await answer.json()).toEqual({ error: 'This path is for WebSocket connections' })
    },
  )

  test('an unknown path is the dashboard for reads and 404 otherwise', async () => {
    expect((await app.request('/api/unknown')).status).toBe(200)
    expect((await app.request('/api/unknown', { method: 'POST' })).status).toBe(404)
    expect((await app.request('/api/unknown', { method: 'OPTIONS' })).status).toBe(404)
  })
})
