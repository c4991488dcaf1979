import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Account {
  username: string
  password: string
}

/** API client with a browser's cookies and antiforgery header. */
export class Visitor {
  readonly #url: string
  readonly #address: string | null
  readonly #cookies = new Map<string, string>()

  /** `address`: its own address as a proxy in front of the service reports it. */
  constructor(url: string, address: string | null = null) {
    this.#url = url
    this.#address = address
  }

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async request(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = new Headers({ cookie: this.cookieHeader })
    if (this.#address !== null) headers.set('X-Forwarded-For', this.#address)
    const token = this.#cookies.get('Svc.Antiforgery')
    if (token !== undefined && method !== 'GET') headers.set('X-Antiforgery-Token', token)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (name !== undefined && value !== undefined) this.#cookies.set(name, value)
    }
    return response
  }

  /** Reads JSON. Throws with status and text when the answer is not 2xx. */
  async read<T>(path: string): Promise<T> {
    const response = await this.request('GET', path)
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    // The caller knows the endpoint's type.
    return (await response.json()) as T
  }

  async write(method: string, path: string, body?: unknown): Promise<void> {
    const response = await this.request(method, path, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  }

  async signIn(apiKey: string, account: Account): Promise<void> {
    await this.write('GET', '/api/auth/status')
    await this.write('POST', '/api/auth/login', { apiKey, ...account })
    // The antiforgery token belongs to a session, and signing in created a new one.
    await this.write('GET', '/api/auth/status')
  }

  /** Creates the first account, signs in and completes the set-up, like the dashboard does. */
  async setUp(apiKey: string, account: Account): Promise<void> {
    await this.write('POST', '/api/account-setup/first-admin', { apiKey, ...account })
    await this.signIn(apiKey, account)
    await this.write('PATCH', '/api/system/setup', { completed: true })
  }
}

/** The installation key that the service created in its data directory. */
export const installationKey = (dataPath: string): string =>
  readFileSync(join(dataPath, 'security', 'api_key.txt'), 'utf8').trim()
