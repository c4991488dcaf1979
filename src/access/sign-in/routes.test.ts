import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { Browser, signIn, signInOwner, testPassword } from '../../../test/support/sign-in.ts'

const time = new ManualTime()
const plainRequest = new Request('http://localhost/')

const app = await testApp({ clock: time })
await signInOwner(app)

const credentials = () => ({ apiKey: app.key, username: 'owner', password: testPassword })
const statusOf = async (browser: Browser) =>
  (await (await browser.get('/api/auth/status')).json()) as Record<string, unknown>

describe('sign-in', () => {
  test('opens a session, which the status reports', async () => {
    const browser = new Browser(app)
    expect(await statusOf(browser)).toMatchObject({ isAuthenticated: false, sessionType: null })
    const response = await browser.post('/api/auth/login', {
      ...credentials(),
      username: ' OWNER ',
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      success: true,
      sessionType: 'admin',
      expiresAt: '2099-12-31T00:00:00.000Z',
    })
    const cookie = response.headers.getSetCookie().join('\n')
    expect(cookie).toMatch(/^Svc\.Session=[\w-]{86};/)
    expect(cookie).toContain('HttpOnly')
    expect(cookie).toContain('SameSite=Lax')
    expect(cookie).not.toContain('Secure')
    expect(await statusOf(browser)).toMatchObject({
      isAuthenticated: true,
      sessionType: 'admin',
      isMainAdmin: true,
      prefillEnabled: true,
      alphaPrefillExpiresAt: null,
      guestDurationHours: 6,
    })
  })

  test.each([
    ['wrong key', { apiKey: 'larder_wrong' }],
    ['no key', { apiKey: null }],
    ['unknown name', { username: 'nobody' }],
    ['wrong password', { password: 'Wrong-Horse-42' }],
    ['no password', { password: undefined }],
    ['password far too long', { password: 'x'.repeat(60_000) }],
  ])('%s: 401 without a reason', async (_, change) => {
    const response = await new Browser(app).post('/api/auth/login', { ...credentials(), ...change })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      error: 'The key, username or password is wrong',
      stageKey: 'errors.login.invalidCredentials',
    })
    expect(response.headers.getSetCookie()).toEqual([])
    app.control.lockout.clear(app.control.accounts.owner()?.id ?? '')
  })

  test('without an antiforgery token: 400, and the attempt counts', async () => {
    const browser = new Browser(app)
    for (let attempt = 0; attempt < 5; attempt++) {
      const refused = await browser.send('POST', '/api/auth/login', {
        body: credentials(),
        withoutToken: true,
      })
      expect(refused.status).toBe(400)
    }
    const late = await browser.post('/api/auth/login', credentials())
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect(await late.json()).toMatchObject({ stageKey: 'errors.rateLimit.tooManyRequests' })
  })

  test('guest start and sign-out need a token in a session only', async () => {
    app.settings.set('setup.isCompleted', true)
    const browser = new Browser(app)
    const plain = (path: string) =>
      browser.send('POST', `/api/auth/${path}`, { withoutToken: true })
    expect((await plain('logout')).status).toBe(200)
    expect((await plain('guest')).status).toBe(200)
    expect((await plain('guest')).status).toBe(400)
    expect((await plain('logout')).status).toBe(400)
    expect(await statusOf(browser)).toMatchObject({ sessionType: 'guest' })
  })

  test('an anonymous token is invalid after signing in', async () => {
    const browser = new Browser(app)
    const before = await browser.token()
    await browser.post('/api/auth/login', credentials())
    const after = browser.cookies.get('Svc.Antiforgery') ?? ''
    expect(after).not.toBe(before)
    const beat = (token: string) => {
      const headers = { 'X-Antiforgery-Token': token }
      return browser.send('POST', '/api/auth/heartbeat', { headers, withoutToken: true })
    }
    expect((await beat(before)).status).toBe(400)
    // Signing in returns the next token.
    expect((await beat(after)).status).toBe(200)
    browser.cookies.set('Svc.Antiforgery', before)
    expect((await beat(before)).status).toBe(400)
  })

  test("another session's token is refused", async () => {
    const [one, other] = [await signIn(app, 'owner'), await signIn(app, 'owner')]
    const headers = { 'X-Antiforgery-Token': await other.token() }
    const options = { headers, withoutToken: true }
    expect((await one.send('POST', '/api/auth/heartbeat', options)).status).toBe(400)
  })

  test('the header must equal the cookie, not another token of the session', async () => {
    const browser = await signIn(app, 'owner')
    const first = await browser.token()
    browser.cookies.delete('Svc.Antiforgery')
    await browser.get('/api/auth/status')
    expect(browser.cookies.get('Svc.Antiforgery')).not.toBe(first)
    const options = { headers: { 'X-Antiforgery-Token': first }, withoutToken: true }
    expect((await browser.send('POST', '/api/auth/heartbeat', options)).status).toBe(400)
    // Scripts that keep only the session cookie send the token just in the header.
    browser.cookies.delete('Svc.Antiforgery')
    expect((await browser.send('POST', '/api/auth/heartbeat', options)).status).toBe(200)
  })

  test('signing out ends the session and clears the cookie', async () => {
    const browser = await signIn(app, 'owner')
    const token = browser.sessionToken ?? ''
    const response = await browser.post('/api/auth/logout')
    expect(response.headers.getSetCookie().join('\n')).toContain('Svc.Session=;')
    browser.cookies.set('Svc.Session', token)
    expect(await statusOf(browser)).toMatchObject({ isAuthenticated: false })
    expect((await new Browser(app).post('/api/auth/logout')).status).toBe(200)
  })

  test('five wrong passwords lock the account for a quarter of an hour', async () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      const body = { ...credentials(), password: 'Wrong-Horse-42' }
      expect((await new Browser(app).post('/api/auth/login', body)).status).toBe(401)
    }
    expect((await new Browser(app).post('/api/auth/login', credentials())).status).toBe(401)
    await time.advance(15 * 60_000)
    expect((await new Browser(app).post('/api/auth/login', credentials())).status).toBe(200)
  })

  test('wrong passwords without the key do not count towards the lock', async () => {
    for (let attempt = 0; attempt < 6; attempt++) {
      const body = { apiKey: 'wrong', username: 'owner', password: 'Wrong-Horse-42' }
      await new Browser(app).post('/api/auth/login', body)
    }
    expect((await new Browser(app).post('/api/auth/login', credentials())).status).toBe(200)
  })
})

describe('a locked account', () => {
  const wrong = () => ({ ...credentials(), password: 'Wrong-Horse-42' })
  const enter = async (browser: Browser, body: object = credentials()) =>
    (await browser.post('/api/auth/login', body)).status
  const lockOut = async () => {
    for (let n = 0; n < 5; n++) expect(await enter(new Browser(app), wrong())).toBe(401)
    expect(await enter(new Browser(app))).toBe(401)
  }
  const owner = () => app.control.accounts.owner()?.id ?? ''
  afterEach(() => app.control.lockout.clear(owner()))

  test('opens from a browser that signed in before, and stays locked for others', async () => {
    const own = await signIn(app, 'owner')
    await own.post('/api/auth/logout')
    await lockOut()
    expect(await enter(new Browser(app))).toBe(401)
    expect(await enter(own)).toBe(200)
  })

  test('lets an active session change its password', async () => {
    const own = await signIn(app, 'owner')
    // A browser from before devices were remembered.
    for (const name of own.cookies.keys()) {
      if (name.startsWith('Svc.Device')) own.cookies.delete(name)
    }
    await lockOut()
    const body = { currentPassword: testPassword, newPassword: testPassword }
    expect((await own.post('/api/auth/password', body)).status).toBe(200)
  })

  /** Browsers with the cookies of one that has signed in, each with another address. */
  async function knownBrowser(): Promise<() => Browser> {
    const { cookies } = await signIn(app, 'owner')
    cookies.delete('Svc.Session')
    return () => Object.assign(new Browser(app), { cookies: new Map(cookies) })
  }

  test('a known browser gets no more attempts than others, and locks out no other known one', async () => {
    const [own, other] = [await knownBrowser(), await knownBrowser()]
    for (let n = 0; n < 5; n++) expect(await enter(own(), wrong())).toBe(401)
    expect(await enter(own())).toBe(401)
    expect(await enter(new Browser(app))).toBe(401)
    expect(await enter(other())).toBe(200)
  })

  test('is locked by the attempts of all browsers together, until one signs in', async () => {
    const [own, other] = [await knownBrowser(), await knownBrowser()]
    const spread = [own(), other(), new Browser(app), new Browser(app)]
    for (const browser of spread) expect(await enter(browser, wrong())).toBe(401)
    expect(await enter(new Browser(app))).toBe(200)
    for (const browser of [...spread, own()]) expect(await enter(browser, wrong())).toBe(401)
    expect(await enter(new Browser(app))).toBe(401)
    expect(await enter(own())).toBe(200)
    expect(await enter(new Browser(app))).toBe(200)
  })

  test.each([
    ['made up', () => `id.${'x'.repeat(43)}`],
    ['of another account', () => app.control.devices.remember(plainRequest, 'b', time.now()).value],
    ['without a proof', () => 'id'],
  ])('a device cookie %s grants nothing', async (_, value) => {
    await lockOut()
    const forged = new Browser(app)
    forged.cookies.set(`Svc.Device.${owner().slice(0, 8)}`, value())
    expect(await enter(forged)).toBe(401)
  })

  test('the device cookie is HttpOnly and renewed with the same id', async () => {
    const first = await new Browser(app).post('/api/auth/login', credentials())
    const line = first.headers.getSetCookie().find((one) => one.startsWith('Svc.Device.')) ?? ''
    expect(line).toContain('HttpOnly')
    expect(line).toContain('SameSite=Lax')
    const [pair = ''] = line.split(';', 1)
    const again = new Browser(app)
    again.cookies.set(...(pair.split('=', 2) as [string, string]))
    await again.post('/api/auth/login', credentials())
    expect([...again.cookies].map((one) => one.join('='))).toContain(pair)
  })
})

describe('refused proofs are logged with their address', () => {
  const manual = readFileSync(join(import.meta.dir, '../../../docs/operate.md'), 'utf8')
  const pattern = /^failregex = (.+)$/m.exec(manual)?.[1] ?? 'missing'
  const failure = new RegExp(pattern.replace('<HOST>', '(?<host>[0-9a-f.:]+)'))

  test.each([
    [
      'a sign-in',
      (browser: Browser) => browser.post('/api/auth/login', { ...credentials(), password: 'x' }),
    ],
    [
      'a key for the recovery',
      (browser: Browser) =>
        browser.post('/api/account-setup/open-main-admin-recovery', { apiKey: 'x' }),
    ],
    [
      'a key in the header',
      (browser: Browser) => browser.get('/reference', { headers: { 'X-Api-Key': 'x' } }),
    ],
    [
      'a current password',
      async (browser: Browser) => {
        await browser.post('/api/auth/login', credentials())
        return browser.post('/api/auth/password', { currentPassword: 'x', newPassword: 'x' })
      },
    ],
  ])('%s, in the format fail2ban reads', async (_, call) => {
    const browser = new Browser(app)
    expect((await call(browser)).status).toBe(401)
    app.control.lockout.clear(app.control.accounts.owner()?.id ?? '')
    const hosts = app.logLines.map((line) => failure.exec(line)?.groups?.host)
    expect(hosts.filter((host) => host === browser.address)).toHaveLength(1)
  })

  test('and a refused sign-in is audited with its address', async () => {
    const browser = new Browser(app)
    await browser.post('/api/auth/login', { ...credentials(), username: 'nobody' })
    const [last] = app.control.audit.read({ limit: 1, before: null })
    expect(last).toMatchObject({ event: 'LoginFailed', detail: browser.address })
    const owner = await signIn(app, 'owner')
    const page = (await (await owner.get('/api/ext/audit')).json()) as {
      entries: { event: string; address: string | null }[]
    }
    const failed = page.entries.find(({ event }) => event === 'LoginFailed')
    expect(failed?.address).toBe(browser.address)
  })

  test('a successful sign-in logs no such line', async () => {
    const before = app.logLines.length
    await signIn(app, 'owner')
    expect(app.logLines.slice(before).filter((line) => failure.test(line))).toEqual([])
  })
})

describe('token rotation', () => {
  const holding = (token: string | null) => {
    const browser = new Browser(app)
    browser.cookies.set('Svc.Session', token ?? '')
    return browser
  }
  const isIn = async (browser: Browser) => (await statusOf(browser)).isAuthenticated
  /** Signed in, and the next status call rotates. */
  const fresh = async () => {
    const browser = await signIn(app, 'owner')
    return { browser, old: browser.sessionToken }
  }

  test('the old token lives for 30 seconds after the new one was used', async () => {
    const { browser, old } = await fresh()
    await statusOf(browser)
    const second = browser.sessionToken
    expect(second).not.toBe(old)
    await browser.get('/api/user-preferences')
    const thief = holding(old)
    await time.advance(29_000)
    expect(await isIn(thief)).toBe(true)
    // A rotation this recent is not repeated, so the thief gains nothing.
    expect(thief.sessionToken).toBe(old)
    await time.advance(2000)
    expect(await isIn(thief)).toBe(false)
    expect(await isIn(browser)).toBe(true)
    expect(browser.sessionToken).not.toBe(second)
  })

  test('a response that is lost ends no session', async () => {
    const { browser, old } = await fresh()
    for (let lost = 0; lost < 3; lost++) {
      await statusOf(holding(old))
      await time.advance(3 * 24 * 3_600_000)
    }
    expect(await isIn(browser)).toBe(true)
    expect(browser.sessionToken).not.toBe(old)
    expect(await isIn(browser)).toBe(true)
    await time.advance(31_000)
    expect(await isIn(holding(old))).toBe(false)
  })

  test('concurrent status calls rotate once', async () => {
    const { browser, old } = await fresh()
    const late = holding(old)
    await Promise.all([statusOf(browser), statusOf(late)])
    expect([browser, late].filter(({ sessionToken }) => sessionToken === old)).toHaveLength(1)
  })

  test('an old token ends after 30 days, whether the new one was used or not', async () => {
    const { browser, old } = await fresh()
    await statusOf(browser)
    await time.advance(30 * 24 * 3_600_000)
    expect(await isIn(holding(old))).toBe(false)
    expect(await isIn(browser)).toBe(true)
  })

  test('scripts that send the key keep their token', async () => {
    const browser = await signIn(app, 'owner')
    const before = browser.sessionToken
    await browser.get('/api/auth/status', { headers: { 'X-Api-Key': app.key } })
    expect(browser.sessionToken).toBe(before)
  })
})

test.each([
  'Svc.Session=%',
  'Svc.Session=%zz%e0',
  'Svc.Session=',
  'Svc.Session',
  `Svc.Session=${'x'.repeat(6000)}`,
  'Svc.Session="quoted; Svc.Antiforgery=%',
  ';;;=;',
])('foreign cookies are ignored: %s', async (Cookie) => {
  const response = await app.request('/api/auth/status', { headers: { Cookie } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ isAuthenticated: false })
})

test('the key alone grants access to no endpoint', async () => {
  const response = await app.request('/api/auth/heartbeat', {
    method: 'POST',
    headers: { 'X-Api-Key': app.key },
  })
  expect(response.status).toBe(401)
  expect(await response.text()).toBe('')
})

test('no password, token or key reaches the log', async () => {
  const browser = await signIn(app, 'owner')
  const log = app.logLines.join('\n')
  expect(log).not.toContain(testPassword)
  expect(log).not.toContain(browser.sessionToken ?? 'none')
  expect(log.split(app.key)).toHaveLength(2)
})
