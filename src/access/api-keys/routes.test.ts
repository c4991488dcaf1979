import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import {
  Browser,
  signIn,
  signInAs,
  signInOwner,
  testPassword,
} from '../../../test/support/sign-in.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { createInstallationKey } from './installation-key.ts'
import { json } from '../../../test/support/answers.ts'

let app: TestApp
beforeEach(async () => void (app = await testApp()))
afterEach(() => app.stop())

const keyFile = () => join(app.config.dataPath, 'security', 'api_key.txt')

describe('the key file', () => {
  test("holds a long random key readable only by the service's user", () => {
    const text = readFileSync(keyFile(), 'utf8').trim()
    expect(text).toMatch(/^larder_[\w-]{43}$/)
    expect(text).toBe(app.key)
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
  })

  test('survives restarts, which log only a hint', () => {
    chmodSync(keyFile(), 0o644)
    const again = createInstallationKey(keyFile(), quietLog)
    expect(again.isNew).toBe(false)
    expect(again.value()).toBe(app.key)
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    const mentions = app.logLines.filter((line) => line.includes(app.key))
    expect(mentions).toHaveLength(1)
    expect(mentions[0]).toContain('created')
  })

  test('an empty file is replaced', () => {
    writeFileSync(keyFile(), '\n')
    const fresh = createInstallationKey(keyFile(), quietLog)
    expect(fresh.isNew).toBe(true)
    expect(fresh.value()).toMatch(/^larder_/)
  })

  test.each([null, undefined, '', 'larder_', 'x'.repeat(100_000)])('%p does not match', (text) =>
    expect(app.control.key.matches(text)).toBe(false),
  )
})

describe('status', () => {
  test('reflects the header of the request itself', async () => {
    const user = await signInAs(app, 'user')
    const path = '/api/api-keys/status'
    expect(await json(await user.get(path))).toEqual([
      200,
      { hasApiKey: false, keyType: 'none', hasPrimaryKey: false },
    ])
    expect(await json(await user.get(path, { headers: { 'X-Api-Key': app.key } }))).toEqual([
      200,
      { hasApiKey: true, keyType: 'admin', hasPrimaryKey: true },
    ])
  })
})

describe('replacing the key', () => {
  const path = '/api/api-keys/regenerate'

  test('ends every session and deletes every account but the owner', async () => {
    const rotated: string[] = []
    const before = app.key
    app.control.onKeyRotated(() => rotated.push('rotated'))
    const owner = await signInOwner(app)
    const user = await signInAs(app, 'user')
    const { live } = await hubClient(app.listen(), user, null)
    const [status, answer] = await json(await owner.post(path))
    expect((await live.closed).reason).toStartWith('keyReplaced:')
    expect(status).toBe(200)
    const { apiKey } = answer as { apiKey: string }
    expect(answer).toMatchObject({ success: true, warning: expect.any(String) })
    expect(apiKey).toMatch(/^larder_[\w-]{43}$/)
    expect(apiKey).not.toBe(before)
    expect(app.key).toBe(apiKey)
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(apiKey)
    expect(owner.sessionToken).toBeNull()
    expect((await user.post('/api/auth/heartbeat')).status).toBe(401)
    expect(app.control.accounts.all().map(({ username }) => username)).toEqual(['owner'])
    expect(rotated).toEqual(['rotated'])
    expect(signIn({ ...app, key: before }, 'owner')).rejects.toThrow('401')
    expect(signIn(app, 'owner')).resolves.toBeDefined()
    expect(app.logLines.filter((line) => line.includes(apiKey))).toHaveLength(1)
  })
})

test('a replaced key ends tokens of widgets and the address of the calendar', async () => {
  const owner = await signInOwner(app)
  const made = await owner.post('/api/ext/widgets/tokens', { name: 'Home', scopes: ['badge'] })
  const { token } = (await made.json()) as { token: string }
  const opened = await owner.post('/api/ext/events/feed')
  const { path } = (await opened.json()) as { path: string }
  const badge = `/api/widgets/badge.svg?token=${token}`
  const statuses = async () => [(await app.request(badge)).status, (await app.request(path)).status]
  expect(await statuses()).not.toContain(401)
  expect((await owner.post('/api/api-keys/regenerate')).status).toBe(200)
  expect(await statuses()).toEqual([401, 401])
})

describe('with authentication disabled', () => {
  let open: TestApp
  beforeEach(async () => {
    open = await testApp({ environment: { Security__EnableAuthentication: 'false' } })
  })
  afterEach(() => open.stop())

  test('everyone is an admin and needs no token', async () => {
    const browser = new Browser(open)
    expect(await json(await browser.get('/api/auth/status'))).toMatchObject([
      200,
      {
        authenticationEnabled: false,
        isAuthenticated: true,
        sessionType: 'admin',
        isMainAdmin: true,
        accountId: null,
      },
    ])
    expect(browser.sessionToken).not.toBeNull()
    const plain = { withoutToken: true }
    const other = new Browser(open)
    expect((await other.send('POST', '/api/auth/heartbeat', plain)).status).toBe(200)
    expect((await other.send('PUT', '/api/user-preferences', { ...plain, body: {} })).status).toBe(
      200,
    )
    expect((await other.get('/reference')).status).toBe(200)
  })

  test('the shared session cannot be ended', async () => {
    const browser = new Browser(open)
    const id = open.control.shared?.id
    await browser.get('/api/auth/status')
    expect((await browser.post('/api/auth/logout')).status).toBe(200)
    expect((await browser.patch(`/api/sessions/${id}/revoke`)).status).toBe(403)
    expect((await browser.delete(`/api/sessions/${id}`)).status).toBe(403)
    const { sessions } = (await (await browser.get('/api/sessions')).json()) as {
      sessions: { id: string }[]
    }
    expect(sessions.map((one) => one.id)).toEqual([id ?? ''])
  })

  test('an account can be created; wiping and password changes are refused', async () => {
    const browser = new Browser(open)
    const chief = { username: 'chief', password: testPassword, role: 'admin' }
    expect((await browser.post('/api/accounts', chief)).status).toBe(200)
    expect((await browser.post('/api/accounts/wipe')).status).toBe(403)
    expect(await json(await browser.post('/api/auth/password', {}))).toMatchObject([
      403,
      { stageKey: 'errors.password.accountRequired' },
    ])
  })

  test('the key can be replaced by presenting it, and the shared session continues', async () => {
    const browser = new Browser(open)
    expect((await browser.post(path())).status).toBe(403)
    const shown = { headers: { Authorization: `Bearer ${open.key}` } }
    expect((await browser.send('POST', path(), shown)).status).toBe(200)
    expect((await browser.put('/api/user-preferences', { sharpCorners: true })).status).toBe(200)
    expect(await (await browser.get('/api/user-preferences')).json()).toMatchObject({
      sharpCorners: true,
    })
  })

  const path = () => '/api/api-keys/regenerate'
})
