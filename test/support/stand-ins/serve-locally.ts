export type Answer = Response | Promise<Response>

/** Serves requests on a free port of loopback. */
export function serveLocally(fetch: (request: Request) => Answer) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch })
  const { port = 0 } = server
  return { port, url: `http://127.0.0.1:${port}`, stop: () => server.stop(true) }
}

/** Content of this many bytes, or the part of it that a header `Range` names. */
export function partOf(bytes: number, range: string | null): Response {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (first === undefined) return new Response(new Uint8Array(bytes))
  const [from, to] = [Number(first), Math.min(Number(last), bytes - 1)]
  const headers = { 'Content-Range': `bytes ${from}-${to}/${bytes}` }
  return new Response(new Uint8Array(to - from + 1), { status: 206, headers })
}

/** What a stand-in does instead of answering. */
export type Trouble = 'down' | 'garbage' | 'huge' | 'hang' | 'refuse'

/** The server of a stand-in, with the calls that it received. */
export abstract class StandIn {
  /** Names of the calls so far, in order. */
  readonly calls: string[] = []
  readonly userAgents = new Set<string>()
  /** The largest number of requests that were open at the same time. */
  parallel = 0
  /** By name of the call. */
  readonly troubles = new Map<string, Trouble>()
  #open = 0
  readonly #hanging = Promise.withResolvers<Response>()
  readonly #server = serveLocally(async (request) => {
    this.parallel = Math.max(this.parallel, ++this.#open)
    this.userAgents.add(request.headers.get('user-agent') ?? '')
    try {
      return await this.answer(request)
    } finally {
      this.#open--
    }
  })

  get url(): string {
    return this.#server.url
  }

  get port(): number {
    return this.#server.port
  }

  count(call: string): number {
    return this.calls.filter((name) => name === call).length
  }

  stop(): Promise<void> {
    this.#hanging.resolve(new Response(''))
    return this.#server.stop()
  }

  protected abstract answer(request: Request): Answer

  /** Counts a call; what goes wrong with it is the answer. */
  protected trouble(call: string): Answer | undefined {
    this.calls.push(call)
    const trouble = this.troubles.get(call)
    if (trouble === 'down') return new Response('', { status: 503 })
    if (trouble === 'refuse') return Response.json({ errorCode: 'refused' }, { status: 400 })
    if (trouble === 'garbage') return new Response('<html>secret-in-garbage</html>')
    if (trouble === 'huge') return new Response(new Uint8Array(9 * 1024 * 1024).fill(0x20))
    return trouble && this.#hanging.promise
  }
}
