import { beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { clientId, clientSecret, oidcSite, visit } from '../../../test/support/oidc-site.ts'
import { Browser, signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { testServer } from '../../../test/support/test-server.ts'
import type { AuthStatus } from '../sign-in/model.ts'
import type { OidcProvider } from './model.ts'

setDefaultTimeout(60_000)

const publicUrl = 'http://larder.test'
const redirectUri = `${publicUrl}/api/ext/oidc/callback`
const settingsPath = '/api/ext/oidc/settings'
const time = new ManualTime()

const app = await testApp({ clock: time })
const owner = await signInOwner(app)
const site = await oidcSite([redirectUri])

const provider = (change: Partial<OidcProvider> = {}) => ({
  issuer: site.issuer,
  clientId,
  label: '',
  scopes: 'profile groups',
  roleClaim: '',
  adminValues: [] as string[],
  userValues: [] as string[],
  createsAccounts: true,
  linksByName: false,
  publicUrl,
  ...change,
})
async function configure(change: Partial<OidcProvider> = {}) {
  const answer = await owner.put(settingsPath, { ...provider(change), clientSecret })
  expect(answer.status).toBe(200)
}
beforeEach(() => configure())

const bodyOf = async <T>(answer: Response) => (await answer.json()) as T
const statusOf = async (browser: Browser) =>
  bodyOf<AuthStatus>(await browser.get('/api/auth/status'))
const pathOf = (url: URL | string) => {
  const { pathname, search } = new URL(url, publicUrl)
  return pathname + search
}

/** A browser signs in as this person; resolves to where it ends. */
async function enter(browser: Browser, name: string, from = '/api/ext/oidc/start') {
  const start = await browser.get(from)
  expect(start.status).toBe(302)
  const address = start.headers.get('location') ?? ''
  if (!address.startsWith(site.issuer)) return address
  const back = await visit(address, name)
  const end = await browser.get(pathOf(back))
  expect(end.status).toBe(302)
  expect(end.headers.get('cache-control')).toBe('no-store')
  return end.headers.get('location')
}
async function link(browser: Browser, name: string) {
  const answer = await browser.post('/api/ext/oidc/link', { returnPath: '/settings/password' })
  expect(answer.status).toBe(200)
  const { url } = await bodyOf<{ url: string }>(answer)
  const back = await visit(url, name)
  return (await browser.get(pathOf(back))).headers.get('location')
}
const nameOf = async (browser: Browser) => {
  const { accountId } = await statusOf(browser)
  return accountId === null ? null : (app.control.accounts.byId(accountId)?.username ?? null)
}

describe('a person of the provider', () => {
  test('gets an account at the first sign-in, and the same one from then on', async () => {
    site.people.set('u-1', { preferred_username: 'Grace' })
    const browser = new Browser(app)
    expect(await enter(browser, 'u-1', '/api/ext/oidc/start?returnPath=/clients')).toBe('/clients')
    const first = await statusOf(browser)
    expect(first).toMatchObject({ isAuthenticated: true, sessionType: 'user', isMainAdmin: false })
    expect(await nameOf(browser)).toBe('Grace')
    // A name is not who somebody is.
    site.people.set('u-1', { preferred_username: 'owner' })
    const other = new Browser(app)
    await enter(other, 'u-1')
    expect((await statusOf(other)).accountId).toBe(first.accountId)
  })

  test('has one account, however many tabs sign in for the first time at once', async () => {
    site.people.set('u-9', { preferred_username: 'Radia' })
    const tabs = Array.from({ length: 3 }, () => new Browser(app))
    const backs = await Promise.all(
      tabs.map(async (tab) => {
        const start = await tab.get('/api/ext/oidc/start')
        return visit(start.headers.get('location') ?? '', 'u-9')
      }),
    )
    // All hash at the same time, so that each has found no account before.
    const hash = spyOn(Bun.password, 'hash')
    const held = Promise.withResolvers<void>()
    hash.mockImplementation(async () => {
      if (hash.mock.calls.length === tabs.length) held.resolve()
      await held.promise
      return 'a hash'
    })
    const ends = await Promise.all(tabs.map((tab, at) => tab.get(pathOf(backs[at] ?? ''))))
    hash.mockRestore()
    expect(ends.map(({ headers }) => headers.get('location'))).toEqual(['/', '/', '/'])
    expect(new Set(await Promise.all(tabs.map(nameOf)))).toEqual(new Set(['Radia']))
    const names = app.control.accounts.all().map(({ username }) => username)
    expect(names.filter((name) => name.startsWith('Radia'))).toEqual(['Radia'])
  })

  test('gets another name where theirs is taken, and none that accounts cannot have', async () => {
    site.people.set('u-2', { preferred_username: ' OWNER ' })
    const browser = new Browser(app)
    expect(await enter(browser, 'u-2')).toBe('/')
    expect(await nameOf(browser)).toBe('OWNER 2')
    site.people.set('u-3', { preferred_username: 'a\u202eb', name: 'Lin' })
    const other = new Browser(app)
    await enter(other, 'u-3')
    expect(await nameOf(other)).toBe('Lin')
  })

  test.each([
    ['groups', { groups: ['staff', 'admins'] }, 'admin'],
    ['groups', { groups: 'players' }, 'user'],
    ['realm_access.roles', { realm_access: { roles: ['admins'] } }, 'admin'],
    ['groups', { groups: ['staff'] }, null],
    ['groups', { groups: { admins: true } }, null],
    ['groups', {}, null],
  ] as const)('has the role that %s name: %j is %s', async (roleClaim, claims, role) => {
    await configure({ roleClaim, adminValues: ['admins'], userValues: ['players'] })
    const name = crypto.randomUUID()
    site.people.set(name, { preferred_username: name, ...claims })
    const browser = new Browser(app)
    expect(await enter(browser, name)).toBe(role === null ? '/sign-in?problem=role' : '/')
    expect((await statusOf(browser)).sessionType).toBe(role)
  })

  test('loses a role at the next sign-in, and the sessions with it', async () => {
    await configure({ roleClaim: 'groups', adminValues: ['admins'] })
    site.people.set('u-5', { preferred_username: 'Hedy', groups: ['admins'] })
    const [before, after] = [new Browser(app), new Browser(app)]
    await enter(before, 'u-5')
    expect((await statusOf(before)).sessionType).toBe('admin')
    site.people.set('u-5', { preferred_username: 'Hedy', groups: [] })
    await enter(after, 'u-5')
    expect((await statusOf(after)).sessionType).toBe('user')
    expect((await statusOf(before)).isAuthenticated).toBe(false)
    const { entries } = await bodyOf<{ entries: { event: string }[] }>(
      await owner.get('/api/ext/audit?limit=10'),
    )
    const events = entries.map(({ event }) => event).toReversed()
    expect(events.slice(-6)).toEqual([
      'SignInProviderChanged',
      'AccountProvided',
      'IdentityLinked',
      'LoginSucceeded',
      'RoleProvided',
      'LoginSucceeded',
    ])
  })

  test('is refused without an account, unless a name may do and is not the owner’s', async () => {
    await configure({ createsAccounts: false })
    await signInAs(app, 'user', 'Joan')
    site.people.set('u-6', { preferred_username: 'joan' })
    site.people.set('u-7', { preferred_username: 'owner' })
    const browser = new Browser(app)
    expect(await enter(browser, 'u-6')).toBe('/sign-in?problem=unknown')
    expect((await statusOf(browser)).isAuthenticated).toBe(false)
    await configure({ createsAccounts: false, linksByName: true })
    expect(await enter(browser, 'u-6')).toBe('/')
    expect(await nameOf(browser)).toBe('Joan')
    expect(await enter(new Browser(app), 'u-7')).toBe('/sign-in?problem=unknown')
  })

  test('whose account is disabled stays outside', async () => {
    site.people.set('u-8', { preferred_username: 'Rosa' })
    const browser = new Browser(app)
    await enter(browser, 'u-8')
    const { accountId } = await statusOf(browser)
    app.control.accounts.update(accountId ?? '', { isDisabled: true })
    expect(await enter(new Browser(app), 'u-8')).toBe('/sign-in?problem=disabled')
  })
})

describe('linking', () => {
  test('lets the owner in, who stays the owner whatever the claims say', async () => {
    await configure({ roleClaim: 'groups', adminValues: ['admins'] })
    site.people.set('o-1', { groups: ['players'] })
    expect(await link(owner, 'o-1')).toBe('/settings/password')
    const browser = new Browser(app)
    await enter(browser, 'o-1')
    expect(await statusOf(browser)).toMatchObject({ isMainAdmin: true, sessionType: 'admin' })
    const own = await browser.get('/api/ext/oidc/status')
    expect(await own.json()).toEqual({ label: new URL(site.issuer).host, isLinked: true })
    expect((await owner.delete('/api/ext/oidc/link')).status).toBe(200)
    expect((await owner.delete('/api/ext/oidc/link')).status).toBe(404)
    expect(await enter(new Browser(app), 'o-1')).not.toBe('/sign-in?problem=unknown')
  })

  test('needs the session that began it, and a person without an account', async () => {
    const joan = await signInAs(app, 'user', 'ida')
    site.people.set('l-1', { preferred_username: 'Emmy' })
    const answer = await joan.post('/api/ext/oidc/link', {})
    const { url } = await bodyOf<{ url: string }>(answer)
    const back = await visit(url, 'l-1')
    await joan.post('/api/auth/logout')
    const end = await joan.get(pathOf(back))
    expect(end.headers.get('location')).toBe('/settings/password?problem=expired')

    const emmy = new Browser(app)
    await enter(emmy, 'l-1')
    const other = await signInAs(app, 'user', 'ida')
    expect(await link(other, 'l-1')).toBe('/settings/password?problem=taken')
    expect(await nameOf(emmy)).toBe('Emmy')
  })

  test('is for accounts', async () => {
    expect((await new Browser(app).post('/api/ext/oidc/link', {})).status).toBe(401)
  })
})

describe('the way back', () => {
  async function begun() {
    const browser = new Browser(app)
    const start = await browser.get('/api/ext/oidc/start')
    site.people.set('w', { preferred_username: 'Wanda' })
    return { browser, back: await visit(start.headers.get('location') ?? '', 'w') }
  }
  const end = async (browser: Browser, back: URL) =>
    (await browser.get(pathOf(back))).headers.get('location')

  test('is for the browser that began', async () => {
    const { browser, back } = await begun()
    expect(await end(new Browser(app), back)).toBe('/sign-in?problem=expired')
    const { browser: other } = await begun()
    expect(await end(other, back)).toBe('/sign-in?problem=provider')
    expect((await statusOf(other)).isAuthenticated).toBe(false)
    expect(await end(browser, back)).toBe('/')
  })

  test('works once', async () => {
    const { browser, back } = await begun()
    const held = browser.cookies.get('Svc.Oidc') ?? ''
    expect(await end(browser, back)).toBe('/')
    expect(browser.cookies.has('Svc.Oidc')).toBe(false)
    const other = new Browser(app)
    other.cookies.set('Svc.Oidc', held)
    expect(await end(other, back)).toBe('/sign-in?problem=provider')
  })

  test('is open for ten minutes, also across a change of the cookie', async () => {
    const { browser, back } = await begun()
    const held = browser.cookies.get('Svc.Oidc') ?? ''
    const later = held.replace(/^\d+/, (ms) => String(Number(ms) + 60_000))
    const other = new Browser(app)
    other.cookies.set('Svc.Oidc', later)
    expect(await end(other, back)).toBe('/sign-in?problem=expired')
    await time.advance(10 * 60_000)
    expect(await end(browser, back)).toBe('/sign-in?problem=expired')
  })

  test('takes one of five attempts a minute; later ones end where the reason is read', async () => {
    const browser = new Browser(app)
    site.people.set('w', { preferred_username: 'Wanda' })
    const ends: (string | null)[] = []
    for (let attempt = 0; attempt < 6; attempt++) ends.push(await enter(browser, 'w'))
    expect(ends).toEqual([...Array.from({ length: 5 }, () => '/'), '/sign-in?problem=limit'])
    expect(await link(browser, 'w')).toBe('/settings/password?problem=limit')
    await time.advance(60_000)
    expect(await enter(browser, 'w')).toBe('/')
  })

  test('tells a refusal of the person from a fault', async () => {
    const { browser, back } = await begun()
    back.search = `?error=access_denied&state=${back.searchParams.get('state')}&iss=${site.issuer}`
    expect(await end(browser, back)).toBe('/sign-in?problem=cancelled')
  })

  test.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    '/a\r\nb',
    '/é',
    `/${'a'.repeat(200)}`,
  ])('leads to the dashboard only: %j', async (path) => {
    site.people.set('w', { preferred_username: 'Wanda' })
    const from = `/api/ext/oidc/start?returnPath=${encodeURIComponent(path)}`
    expect(await enter(new Browser(app), 'w', from)).toBe('/')
  })
})

describe('settings', () => {
  test('are the owner’s, and the secret is never shown or logged', async () => {
    for (const browser of [await signInAs(app, 'admin'), new Browser(app)]) {
      expect((await browser.get(settingsPath)).ok).toBe(false)
      expect((await browser.put(settingsPath, provider())).ok).toBe(false)
    }
    expect(await (await owner.get(settingsPath)).json()).toEqual({
      provider: provider(),
      hasSecret: true,
      redirectUri,
    })
    // Without a secret in the body the stored one stays.
    await owner.put(settingsPath, provider({ label: 'Home' }))
    site.people.set('s', { preferred_username: 'Sally' })
    expect(await enter(new Browser(app), 's')).toBe('/')
    expect(app.logLines.join('\n')).not.toContain(clientSecret)
  })

  test('without an address of its own: the one that the browser used', async () => {
    await configure({ publicUrl: '' })
    const headers = { 'X-Forwarded-Host': 'larder.lan', 'X-Forwarded-Proto': 'https' }
    const answer = await owner.get(settingsPath, { headers })
    expect(await answer.json()).toMatchObject({
      redirectUri: 'https://larder.lan/api/ext/oidc/callback',
    })
  })

  test('switched off: nobody gets in this way', async () => {
    expect((await owner.delete(settingsPath)).status).toBe(200)
    expect(await enter(new Browser(app), 'w')).toBe('/sign-in?problem=off')
    expect(await (await new Browser(app).get('/api/ext/oidc/status')).json()).toEqual({
      label: null,
      isLinked: false,
    })
    expect((await owner.post('/api/ext/oidc/link', {})).status).toBe(409)
    expect(app.credentials.read('oidc.clientSecret').state).toBe('none')
  })

  test('are tried before they are saved', async () => {
    const good = await owner.post('/api/ext/oidc/test', { ...provider(), clientSecret })
    expect(await good.json()).toEqual({
      issuer: site.issuer,
      authorizationEndpoint: `${site.issuer}/auth`,
    })
  })

  const html = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  test.each<[string, () => Response, RegExp]>([
    ['a page in HTML', html, /provider cannot be used/],
    ['status 500', () => new Response('', { status: 500 }), /status 500|provider cannot be used/],
    ['another issuer', () => Response.json({ issuer: 'https://other.test' }), /issuer/],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/'), /redirect/],
    ['too much', () => new Response(' '.repeat(2_000_000)), /more than/],
  ])('of a provider that answers with %s are refused with the reason', async (_, answer, text) => {
    const { url } = testServer(answer)
    const issuer = url.replace(/\/$/, '')
    const answered = await owner.post('/api/ext/oidc/test', provider({ issuer }))
    expect(answered.status).toBe(400)
    const { error } = await bodyOf<{ error: string }>(answered)
    expect(error).toMatch(text)
    await configure({ issuer })
    expect(await enter(new Browser(app), 'w')).toBe('/sign-in?problem=provider')
  })

  test('never lead to addresses of machines’ metadata', async () => {
    const issuer = 'http://169.254.169.254'
    const answer = await owner.post('/api/ext/oidc/test', provider({ issuer }))
    expect(answer.status).toBe(400)
    expect((await bodyOf<{ error: string }>(answer)).error).toContain('169.254.169.254')
  })
})
