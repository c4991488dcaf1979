import type { TestApp } from './app.ts'

/** Satisfies the password rules. */
export const testPassword = 'Correct-Horse-42'

interface CallOptions {
  /** Sent as JSON; forms and blobs are sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
  /** Omits the antiforgery header. */
  withoutToken?: boolean
}

type App = Pick<TestApp, 'request' | 'key' | 'control' | 'clock'>

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
let addresses = 0

/**
 * One browser: keeps cookies, requests an antiforgery token when it needs one, and has an address
 * of its own, so that rate limits of other tests do not affect it.
 */
export class Browser {
  readonly #app: App
  readonly cookies = new Map<string, string>()
  readonly address: string
  #tokenFor: string | null = null

  constructor(app: App) {
    this.#app = app
    addresses++
    this.address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  }

  /** Another browser, without a session. */
  stranger(): Browser {
    return new Browser(this.#app)
  }

  get sessionToken(): string | null {
    return this.cookies.get('Svc.Session') ?? null
  }

  /** A request as sent by the dashboard. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const headers = new Headers({ 'X-Forwarded-For': this.address, ...options.headers })
    if (writes.has(method) && options.withoutToken !== true) {
      headers.set('X-Antiforgery-Token', await this.token())
    }
    return this.#send(method, path, { ...options, headers })
  }

  get = (path: string, options?: CallOptions) => this.send('GET', path, options)
  post = (path: string, body?: unknown) => this.send('POST', path, { body })
  put = (path: string, body?: unknown) => this.send('PUT', path, { body })
  patch = (path: string, body?: unknown) => this.send('PATCH', path, { body })
  delete = (path: string) => this.send('DELETE', path)

  /** The antiforgery token for this browser's current session. */
  async token(): Promise<string> {
    const subject = this.sessionToken ?? 'anonymous'
    if (this.#tokenFor !== subject) {
      await this.#send('GET', '/api/auth/status', { headers: this.#plainHeaders() })
      this.#tokenFor = this.sessionToken ?? 'anonymous'
    }
    return this.cookies.get('Svc.Antiforgery') ?? ''
  }

  #plainHeaders() {
    return new Headers({ 'X-Forwarded-For': this.address })
  }

  async #send(method: string, path: string, options: { headers: Headers; body?: unknown }) {
    const { headers, body } = options
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    if (cookies !== '' && !headers.has('Cookie')) headers.set('Cookie', cookies)
    const init: RequestInit = { method, headers }
    if (body instanceof FormData || body instanceof Blob) init.body = body
    else if (body !== undefined) {
      headers.set('Content-Type', 'application/json')
      init.body = JSON.stringify(body)
    }
    const response = await this.#app.request(path, init)
    for (const line of response.headers.getSetCookie()) this.#keep(Bun.Cookie.parse(line))
    return response
  }

  #keep({ name, value }: Bun.Cookie): void {
    if (value === '') this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

async function expectOk(what: string, response: Response): Promise<void> {
  if (response.ok) return
  throw new Error(`${what}: ${response.status} ${await response.text()}`)
}

export async function signIn(app: App, username: string, password = testPassword) {
  const browser = new Browser(app)
  const body = { apiKey: app.key, username, password }
  await expectOk('sign-in', await browser.post('/api/auth/login', body))
  return browser
}

/** The owner, created if necessary. */
export async function signInOwner(app: App) {
  if (app.control.accounts.owner() === null) {
    const body = { apiKey: app.key, username: 'owner', password: testPassword }
    const setup = new Browser(app)
    await expectOk('first-admin', await setup.post('/api/account-setup/first-admin', body))
  }
  return signIn(app, 'owner')
}

/** A browser of a new account with this role; creates the owner first. */
export async function signInAs(app: App, role: 'admin' | 'user', username = `some-${role}`) {
  if (app.control.accounts.byUsernameKey(username) === null) {
    const owner = await signInOwner(app)
    const body = { username, password: testPassword, role }
    await expectOk('account', await owner.post('/api/accounts', body))
  }
  return signIn(app, username)
}

/** A browser with a guest session; completes the set-up and creates the owner first. */
export async function signInGuest(app: App) {
  const owner = await signInOwner(app)
  await expectOk('set-up', await owner.patch('/api/system/setup', { completed: true }))
  const browser = new Browser(app)
  await expectOk('guest', await browser.post('/api/auth/guest'))
  return browser
}

/** The id of the browser's session. */
export async function sessionIdOf(browser: Browser): Promise<string> {
  const status = (await (await browser.get('/api/auth/status')).json()) as { sessionId: string }
  return status.sessionId
}
