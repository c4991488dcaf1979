import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../test/support/app.ts'
import { Browser, signIn, signInAs, signInGuest, signInOwner } from '../../test/support/sign-in.ts'
import { createAccessControl } from './control.ts'

const app = await testApp()

const asking = (browser: Browser) =>
  new Request('http://localhost/api/x', {
    headers: {
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'X-Antiforgery-Token': browser.cookies.get('Svc.Antiforgery') ?? '',
    },
  })

describe('after a restart', () => {
  test('sessions and antiforgery tokens stay valid', async () => {
    const owner = await signInOwner(app)
    await owner.token()
    const restarted = createAccessControl(app)
    const caller = await restarted.gate.identify(asking(owner))
    expect(caller).toMatchObject({ kind: 'session', role: 'admin', isOwner: true })
    restarted.gate.antiforgery(asking(owner), caller)
  })

  test('a lost key file ends every session', async () => {
    const owner = await signInOwner(app)
    rmSync(join(app.config.dataPath, 'security', 'api_key.txt'))
    const restarted = createAccessControl(app)
    expect(await restarted.gate.identify(asking(owner))).toMatchObject({ kind: 'anonymous' })
    expect(restarted.installationKey()).not.toBe(app.key)
  })
})

describe('the OpenAPI documents', () => {
  const read = (headers: Record<string, string>) => app.request('/openapi/v1.json', { headers })

  test('are open to administrators and to the key', async () => {
    const owner = await signInOwner(app)
    expect((await owner.get('/openapi/v1.json')).status).toBe(200)
    const user = await signInAs(app, 'user')
    expect((await user.get('/openapi/v1.json')).status).toBe(403)
    expect((await read({ 'X-Api-Key': app.key })).status).toBe(200)
    expect((await read({ Authorization: `Bearer ${app.key}` })).status).toBe(401)
    expect((await read({})).status).toBe(401)
    const guest = await signInGuest(app)
    expect((await guest.get('/openapi/v1.json')).status).toBe(403)
    const browser = await read({ Accept: 'text/html,*/*' })
    expect(browser.status).toBe(302)
    expect(browser.headers.get('Location')).toBe('/')
  })
})

describe('addresses', () => {
  test('a forged header does not get a fresh budget', async () => {
    app.control.attachServer({ requestIP: () => ({ address: '::ffff:198.51.100.20' }) })
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) {
      const browser = new Browser(app)
      const body = { apiKey: 'x', username: `name${n}`, password: 'Spring-2026-Spring' }
      statuses.push((await browser.post('/api/auth/login', body)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    app.control.attachServer({ requestIP: () => ({ address: '127.0.0.1' }) })
  })

  test('cookies are Secure when the browser used HTTPS', async () => {
    const headers = { 'X-Forwarded-Proto': 'https' }
    const answer = await app.request('/api/auth/status', { headers })
    expect(answer.headers.getSetCookie().join()).toContain('Secure')
  })
})

describe('presence', () => {
  const seenAt = async (browser: Browser) => {
    const found = app.control.sessionOf(asking(browser))
    return found?.lastSeenAt.getTime() ?? 0
  }

  test('is recorded at most once a minute, and not for idle tabs', async () => {
    const browser = await signIn(app, 'owner')
    const before = await seenAt(browser)
    const { store } = app.control.sessions
    const id = app.control.sessionOf(asking(browser))?.id ?? ''
    store.update(id, { lastSeenAt: new Date(before - 61_000) })
    await browser.get('/api/user-preferences', { headers: { 'X-User-Active': 'false' } })
    expect(await seenAt(browser)).toBe(before - 61_000)
    await browser.get('/api/user-preferences')
    expect(await seenAt(browser)).toBeGreaterThanOrEqual(before)
    store.update(id, { lastSeenAt: new Date(before - 1000) })
    await browser.get('/api/user-preferences')
    expect(await seenAt(browser)).toBe(before - 1000)
  })
})

test('audit rows name accounts by id, and never hold names or secrets', async () => {
  await signIn(app, 'owner')
  const rows = app.state.sqlite.query('SELECT * FROM audit').all() as Record<string, unknown>[]
  const events = rows.map(({ event }) => event)
  expect(events).toEqual(
    expect.arrayContaining(['AccountCreated', 'LoginSucceeded', 'LoginFailed']),
  )
  const text = JSON.stringify(rows)
  expect(text).not.toContain('Spring-2026')
  expect(text).not.toContain('name3')
})
