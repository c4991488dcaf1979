import { join } from 'node:path'

export interface StandInContainer {
  name: string
  environment: string[]
  isRunning?: boolean
  image?: string
  /** Exit code of commands in it; null: none can be run. */
  exitCode?: number | null
}

/**
 * Speaks the part of the container engine's API that is asked about the proxy, on a socket in the
 * folder given. Containers may be changed at any time.
 */
export class EngineStandIn {
  containers: StandInContainer[] = []
  /** Answers nothing while set. */
  hold: Promise<void> | null = null
  /** Commands and signals that containers got, for example `monolithic kill SIGUSR1`. */
  readonly orders: string[] = []
  /** Requests so far. */
  requests = 0
  readonly socketPath: string
  readonly #server: Bun.Server<undefined>

  constructor(folder: string) {
    this.socketPath = join(folder, 'engine.sock')
    this.#server = Bun.serve({
      unix: this.socketPath,
      fetch: async (request) => {
        this.requests++
        await this.hold
        const url = new URL(request.url)
        return request.method === 'POST' ? await this.#order(request, url) : this.#answer(url)
      },
    })
  }

  get address(): string {
    return `unix://${this.socketPath}`
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  #answer({ pathname, searchParams }: URL): Response {
    const path = pathname.replace(/^\/v[\d.]+/, '')
    if (path === '/containers/json') {
      // As the real one: with a limit, containers that ended are listed too.
      const isAll = searchParams.has('limit') || searchParams.get('all') === 'true'
      const listed = this.containers.filter(({ isRunning = true }) => isAll || isRunning)
      return Response.json(
        listed.map(({ name, image = 'some/image' }) => ({
          Id: `id-${name}`,
          Names: [`/${name}`],
          Image: image,
        })),
      )
    }
    const [, ran] = /^\/exec\/run-([^/]+)\/json$/.exec(path) ?? []
    if (ran !== undefined) {
      return Response.json({ Running: false, ExitCode: this.#named(ran)?.exitCode ?? 0 })
    }
    const [, name] = /^\/containers\/id-([^/]+)\/json$/.exec(path) ?? []
    const found = this.#named(name)
    if (found === undefined) return Response.json({ message: 'No such container' }, { status: 404 })
    return Response.json({
      Id: `id-${found.name}`,
      Name: `/${found.name}`,
      Config: { Env: found.environment },
    })
  }

  #named(name: string | undefined): StandInContainer | undefined {
    return this.containers.find((container) => container.name === name)
  }

  async #order(request: Request, { pathname, searchParams }: URL): Promise<Response> {
    const path = pathname.replace(/^\/v[\d.]+/, '')
    const [, name = '', action] = /^\/containers\/id-([^/]+)\/(exec|kill)$/.exec(path) ?? []
    if (action === 'exec' && this.#named(name)?.exitCode !== null) {
      const { Cmd } = (await request.json()) as { Cmd: string[] }
      this.orders.push(`${name} ${Cmd.join(' ')}`)
      return Response.json({ Id: `run-${name}` }, { status: 201 })
    }
    if (action === 'kill') {
      this.orders.push(`${name} kill ${searchParams.get('signal')}`)
      return new Response(null, { status: 204 })
    }
    if (/^\/exec\/[^/]+\/start$/.test(path)) return new Response(null, { status: 200 })
    return Response.json({ message: 'Not possible' }, { status: 409 })
  }
}
