import { join } from 'node:path'

export interface StandInContainer {
  name: string
  environment: string[]
  isRunning?: boolean
  image?: string
  isPaused?: boolean
  /** The host folders visible in it. */
  mounts?: string[]
  /** Exit codes of commands in it by their first word; null: the command cannot be run. */
  exitCodes?: Record<string, number | null>
  /** Command lines of its processes. */
  processes?: string[]
}

/** A command requested in a container. */
interface Run {
  program: string
  container: StandInContainer
}

/**
 * Implements the part of the container engine's API that is used for the proxy, on a socket in the
 * given folder. Containers may be changed at any time.
 */
export class EngineStandIn {
  containers: StandInContainer[] = []
  /** No responses while set. */
  hold: Promise<void> | null = null
  /** Commands run in containers, for example `monolithic nginx -s reopen`. */
  readonly orders: string[] = []
  readonly #runs: Run[] = []
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
      // Like the real one: with a limit, the list includes containers that have ended.
      const isAll = searchParams.has('limit') || searchParams.get('all') === 'true'
      const listed = this.containers.filter(({ isRunning = true }) => isAll || isRunning)
      return Response.json(
        listed.map(({ name, image = 'some/image', isPaused = false, mounts = [] }) => ({
          Id: `id-${name}`,
          Names: [`/${name}`],
          Image: image,
          State: isPaused ? 'paused' : 'running',
          Mounts: mounts.map((Source) => ({ Type: 'bind', Source, Destination: '/data' })),
        })),
      )
    }
    const ran = this.#run(/^\/exec\/(\d+)\/json$/.exec(path))
    if (ran !== undefined) return Response.json({ Running: false, ExitCode: exitCodeOf(ran) })
    const [, name, part] = /^\/containers\/id-([^/]+)\/(json|top)$/.exec(path) ?? []
    const found = this.#named(name)
    if (found === undefined) return Response.json({ message: 'No such container' }, { status: 404 })
    if (part === 'top') {
      const { processes = [] } = found
      return Response.json({ Titles: ['PID', 'CMD'], Processes: processes.map((it) => ['1', it]) })
    }
    return Response.json({
      Id: `id-${found.name}`,
      Name: `/${found.name}`,
      Config: { Env: found.environment },
    })
  }

  #run(match: RegExpExecArray | null): Run | undefined {
    return match === null ? undefined : this.#runs[Number(match[1])]
  }

  #named(name: string | undefined): StandInContainer | undefined {
    return this.containers.find((container) => container.name === name)
  }

  async #order(request: Request, { pathname }: URL): Promise<Response> {
    const path = pathname.replace(/^\/v[\d.]+/, '')
    const [, name = ''] = /^\/containers\/id-([^/]+)\/exec$/.exec(path) ?? []
    const container = this.#named(name)
    if (container !== undefined) {
      if (container.isPaused === true) return refusal(409, `Container ${name} is paused`)
      const { Cmd } = (await request.json()) as { Cmd: string[] }
      this.orders.push(`${name} ${Cmd.join(' ')}`)
      this.#runs.push({ program: Cmd[0] ?? '', container })
      return Response.json({ Id: String(this.#runs.length - 1) }, { status: 201 })
    }
    const run = this.#run(/^\/exec\/(\d+)\/start$/.exec(path))
    if (run === undefined) return refusal(404, 'Not possible')
    if (exitCodeOf(run) === null) return refusal(400, `${run.program}: executable file not found`)
    return new Response(null, { status: 200 })
  }
}

const exitCodeOf = ({ program, container: { exitCodes = {} } }: Run) => {
  const code = exitCodes[program]
  return code === undefined ? 0 : code
}

const refusal = (status: number, message: string) => Response.json({ message }, { status })
