import { join } from 'node:path'

/** A container as the stand-in keeps it. */
export interface EngineContainer {
  id: string
  name: string
  /** Body of the request that created it. */
  body: {
    Image: string
    Env: string[]
    Labels: Record<string, string>
    HostConfig: Record<string, unknown>
  } & Record<string, unknown>
  isRunning: boolean
  exitCode: number
  created: number
  output: string
  mounts: { Type: string; Source: string; Destination: string }[]
}

/** Answer to one request: a status with the engine's message. */
export interface Refusal {
  status: number
  message: string
}

interface Call {
  method: string
  path: string
  query: URLSearchParams
  body: Record<string, unknown>
}

type Answer = Response | Promise<Response>
type Handler = (call: Call, name: string) => Answer

const refuse = (status: number, message: string) => Response.json({ message }, { status })
const empty = (status = 204) => new Response(null, { status })

/** One part of a multiplexed stream: stream, three zeros, length. */
function frame(text: string): Uint8Array {
  const body = Buffer.from(text)
  const head = Buffer.alloc(8)
  head[0] = 1
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

/**
 * Speaks the part of the container engine's API that daemons are run with, on a socket in the given
 * folder. Refusals are queued per request line and used once.
 */
export class DaemonEngine {
  readonly containers: EngineContainer[] = []
  readonly images = new Set<string>()
  readonly volumes = new Set<string>()
  /** What a registry has. */
  readonly registry = new Set<string>()
  /** `<method> <path>` of every request, in order. */
  readonly calls: string[] = []
  /** Output and exit code of commands in containers, by their first words. */
  readonly commands = new Map<string, { exitCode: number; output: string }>()
  /** Containers end with this code right after their start. */
  exitsWith: number | null = null
  /** The registry never ends its answers. */
  isSilent = false
  readonly socketPath: string
  readonly #refusals = new Map<string, Refusal[]>()
  readonly #runs: { exitCode: number; output: string }[] = []
  readonly #server: Bun.Server<undefined>
  readonly #proxy: Bun.Server<undefined>
  #count = 0

  constructor(folder: string) {
    this.socketPath = join(folder, 'engine.sock')
    const fetch = (request: Request) => this.#serve(request)
    this.#server = Bun.serve({ unix: this.socketPath, fetch })
    this.#proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  }

  get address(): string {
    return `unix://${this.socketPath}`
  }

  /** The same over TCP, as a proxy of the socket offers it. */
  get proxyAddress(): string {
    return `tcp://127.0.0.1:${this.#proxy.port}`
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
    await this.#proxy.stop(true)
  }

  /** The next requests with this line are refused, one after the other. */
  refuse(line: string, ...refusals: Refusal[]): void {
    this.#refusals.set(line, refusals)
  }

  named(name: string): EngineContainer | undefined {
    return this.containers.find((container) => container.name === name)
  }

  /** Adds a running container that nobody of ours created. */
  add(name: string, body: Partial<EngineContainer['body']> = {}): EngineContainer {
    const container: EngineContainer = {
      id: (++this.#count).toString(16).padStart(64, '0'),
      name,
      body: { Image: 'some/image', Env: [], Labels: {}, HostConfig: {}, ...body },
      isRunning: true,
      exitCode: 0,
      created: this.#count,
      output: '',
      mounts: [],
    }
    this.containers.push(container)
    return container
  }

  async #serve(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url)
    const path = decodeURIComponent(pathname.replace(/^\/v[\d.]+/, ''))
    const text = await request.text()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    this.calls.push(`${request.method} ${path}`)
    const refused = this.#refusals.get(`${request.method} ${path}`)?.shift()
    if (refused !== undefined) return refuse(refused.status, refused.message)
    for (const [line, handler] of this.#routes) {
      const [method = '', pattern = ''] = line.split(' ')
      const found = new RegExp(`^${pattern}$`).exec(path)
      if (method !== request.method || found === null) continue
      return handler({ method, path, query, body }, found[1] ?? '')
    }
    return refuse(404, 'page not found')
  }

  readonly #routes: [line: string, handler: Handler][] = [
    ['GET /version', () => Response.json({ Version: '99' })],
    ['GET /images/(.+)/json', (_, name) => this.#image(name)],
    ['POST /images/create', (call) => this.#pull(call)],
    ['GET /containers/json', (call) => this.#list(call)],
    ['POST /containers/create', (call) => this.#create(call)],
    ['GET /containers/([^/]+)/json', (_, id) => this.#with(id, (it) => this.#inspect(it))],
    ['POST /containers/([^/]+)/start', (_, id) => this.#with(id, (it) => this.#start(it))],
    ['POST /containers/([^/]+)/(?:stop|kill)', (_, id) => this.#with(id, (it) => this.#end(it))],
    ['DELETE /containers/([^/]+)', (_, id) => this.#with(id, (it) => this.#remove(it))],
    ['GET /containers/([^/]+)/logs', (_, id) => this.#with(id, (it) => logs(it))],
    ['POST /containers/([^/]+)/exec', (call, id) => this.#with(id, () => this.#exec(call))],
    ['POST /exec/(\\d+)/start', (_, run) => new Response(frame(this.#ran(run).output))],
    [
      'GET /exec/(\\d+)/json',
      (_, run) => Response.json({ Running: false, ExitCode: this.#ran(run).exitCode }),
    ],
    ['DELETE /volumes/(.+)', (_, name) => this.#removeVolume(name)],
  ]

  #image(name: string): Response {
    return this.images.has(name) ? Response.json({ Id: name }) : refuse(404, 'No such image')
  }

  #pull({ query }: Call): Response {
    const image = [query.get('fromImage'), query.get('tag')].filter((it) => it !== null).join(':')
    if (this.isSilent) {
      const start = (stream: ReadableStreamDefaultController) =>
        stream.enqueue('{"status":"Pulling"}\n')
      return new Response(new ReadableStream({ start }))
    }
    // As the real one: the status is sent before the registry answers.
    if (!this.registry.has(image)) {
      return new Response(`{"status":"Pulling"}\n{"error":"manifest unknown"}\n`)
    }
    this.images.add(image)
    return new Response('{"status":"Pulling"}\n{"status":"Done"}\n')
  }

  #list({ query }: Call): Response {
    const filters = JSON.parse(query.get('filters') ?? '{}') as Record<string, string[]>
    const hasAll = query.get('all') === 'true' || query.get('all') === '1'
    const found = this.containers.filter(({ name, body, isRunning }) => {
      const named = filters['name']?.some((part) => name.includes(part)) ?? true
      const isLabelled = (label: string) => {
        const [key = '', value] = label.split('=')
        return value === undefined ? key in body.Labels : body.Labels[key] === value
      }
      return (hasAll || isRunning) && named && (filters['label']?.every(isLabelled) ?? true)
    })
    return Response.json(found.map(listed))
  }

  #create({ query, body }: Call): Response {
    const name = query.get('name') ?? ''
    if (this.named(name) !== undefined) {
      return refuse(409, `Conflict. The container name "/${name}" is already in use`)
    }
    const container = this.add(name, body)
    container.isRunning = false
    for (const bind of (container.body.HostConfig['Binds'] as string[] | undefined) ?? []) {
      if (!bind.startsWith('/')) this.volumes.add(bind.split(':')[0] ?? '')
    }
    return Response.json({ Id: container.id }, { status: 201 })
  }

  #start(container: EngineContainer): Response {
    if (container.isRunning) return empty(304)
    container.isRunning = this.exitsWith === null
    container.exitCode = this.exitsWith ?? 0
    return empty()
  }

  #end(container: EngineContainer): Response {
    if (!container.isRunning) return empty(304)
    container.isRunning = false
    return empty()
  }

  #remove(container: EngineContainer): Response {
    this.containers.splice(this.containers.indexOf(container), 1)
    return empty()
  }

  #removeVolume(name: string): Response {
    return this.volumes.delete(name) ? empty() : refuse(404, 'no such volume')
  }

  #exec({ body }: Call): Response {
    const command = (body['Cmd'] as string[]).join(' ')
    const known = [...this.commands].find(([start]) => command.startsWith(start))
    this.#runs.push(known?.[1] ?? { exitCode: 127, output: '' })
    return Response.json({ Id: String(this.#runs.length - 1) }, { status: 201 })
  }

  #ran = (index: string) => this.#runs[Number(index)] ?? { exitCode: 1, output: '' }

  #inspect({ id, name, body, isRunning, exitCode, mounts }: EngineContainer): Response {
    return Response.json({
      Id: id,
      Name: `/${name}`,
      State: { Running: isRunning, ExitCode: exitCode },
      Config: { Env: body.Env, Labels: body.Labels },
      HostConfig: body.HostConfig,
      NetworkSettings: { Ports: ports(body) },
      Mounts: mounts,
    })
  }

  #with(id: string, handle: (container: EngineContainer) => Answer): Answer {
    const found = this.containers.find((it) => it.id === id || id === it.id.slice(0, 12))
    return found === undefined ? refuse(404, `No such container: ${id}`) : handle(found)
  }
}

const logs = ({ output }: EngineContainer) => new Response(frame(output))

/** The engine picks a port where none is asked for. */
function ports({ HostConfig }: EngineContainer['body']) {
  const bound = (HostConfig['PortBindings'] ?? {}) as Record<string, { HostPort: string }[]>
  return Object.fromEntries(
    Object.entries(bound).map(([port, [first]]) => [
      port,
      [{ HostPort: first?.HostPort || '49155' }],
    ]),
  )
}

const listed = ({ id, name, body, isRunning, created }: EngineContainer) => ({
  Id: id,
  Names: [`/${name}`],
  Image: body.Image,
  Labels: body.Labels,
  State: isRunning ? 'running' : 'exited',
  Created: created,
  HostConfig: { NetworkMode: body.HostConfig['NetworkMode'] ?? 'bridge' },
  NetworkSettings: { Networks: body['Networks'] ?? {} },
})
