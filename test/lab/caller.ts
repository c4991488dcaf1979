let seats = 0
const nextAddress = () => `10.200.${seats >> 8}.${seats++ & 255}`

export interface CallOptions {
  /** Sent as JSON, unless `raw` is given. */
  body?: unknown
  raw?: string | FormData
  headers?: Record<string, string>
}

/** Keeps its cookies, and has an address of its own. */
export class Caller {
  address = nextAddress()
  /** Every value that a cookie ever had. */
  readonly cookieValues = new Set<string>()
  readonly url: string
  readonly #cookies = new Map<string, string>()

  constructor(url: string) {
    this.url = url
  }

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  /** Changes the address, by which attempts are counted. */
  move(): void {
    this.address = nextAddress()
  }

  /** The service trusts forwarded addresses from this machine. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const { body, raw } = options
    const headers = new Headers({ cookie: this.cookieHeader, 'X-Forwarded-For': this.address })
    const token = this.#cookies.get('Svc.Antiforgery')
    if (token !== undefined && method !== 'GET') headers.set('X-Antiforgery-Token', token)
    if (body !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
    const content = body === undefined ? raw : JSON.stringify(body)
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(content === undefined ? {} : { body: content }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (name === undefined || value === undefined || value === '') continue
      this.#cookies.set(name, value)
      this.cookieValues.add(value)
    }
    return response
  }

  /** Status only. */
  async status(method: string, path: string, options: CallOptions = {}): Promise<number> {
    const response = await this.call(method, path, options)
    await response.arrayBuffer()
    return response.status
  }

  async signIn(apiKey: string, account: { username: string; password: string }): Promise<number> {
    await this.status('GET', '/api/auth/status')
    const { username, password } = account
    const body = { apiKey, username, password }
    const status = await this.status('POST', '/api/auth/login', { body })
    await this.status('GET', '/api/auth/status')
    return status
  }
}

/** Opens the live channel with this caller's cookies and collects its frames. */
export async function listen(url: string, caller: Caller) {
  const headers = { cookie: caller.cookieHeader, 'X-Forwarded-For': caller.address }
  // Bun's own option; browsers send their cookies automatically.
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/downloads`, { headers })
  const frames: { event: string; data: unknown }[] = []
  socket.addEventListener('message', ({ data }) => {
    // Frames of our own service.
    frames.push(JSON.parse(String(data)) as { event: string; data: unknown })
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return { socket, frames }
}
