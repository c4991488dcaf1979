import { join } from 'node:path'

export interface StandInContainer {
  name: string
  environment: string[]
  isRunning?: boolean
}

/**
 * Speaks the part of the container engine's API that is asked about the proxy, on a socket in the
 * folder given. Containers may be changed at any time.
 */
export class EngineStandIn {
  containers: StandInContainer[] = []
  /** Answers nothing while set. */
  hold: Promise<void> | null = null
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
        return this.#answer(new URL(request.url))
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
      return Response.json(listed.map(({ name }) => ({ Id: `id-${name}`, Names: [`/${name}`] })))
    }
    const [, name] = /^\/containers\/id-([^/]+)\/json$/.exec(path) ?? []
    const found = this.containers.find((container) => container.name === name)
    if (found === undefined) return Response.json({ message: 'No such container' }, { status: 404 })
    return Response.json({
      Id: `id-${found.name}`,
      Name: `/${found.name}`,
      Config: { Env: found.environment },
    })
  }
}
