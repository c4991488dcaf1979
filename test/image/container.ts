import { Visitor } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../lab/free-port.ts'
import { docker, tryCommand } from './docker.ts'

export interface ContainerOptions {
  image: string
  /** Also the name of its volume. */
  name: string
  /** Folder of the log, seen read-only. */
  logPath: string
  /** Further parameters of `docker run`. */
  parameters?: string[]
}

export interface Totals {
  totalBandwidthSaved: number
  totalAddedToCache: number
}

const account = { username: 'keeper', password: 'Container-2026' }

/** The service in a container of its own, on the machine's network. */
export class Container {
  readonly name: string
  readonly url: string
  #visitor: Visitor | null = null

  private constructor(name: string, port: number) {
    this.name = name
    this.url = `http://127.0.0.1:${port}`
  }

  /** Resolves when `/health` answers. */
  static async run(options: ContainerOptions): Promise<Container> {
    const { image, name, logPath, parameters = [] } = options
    const port = await freePort()
    const container = new Container(name, port)
    const shape = ['--detach', '--name', name, '--network=host', '--health-interval=1s']
    const settings = [`PORT=${port}`, 'HOST=127.0.0.1', 'TZ=UTC'].flatMap((it) => ['--env', it])
    const folders = ['--volume', `${name}:/data`, '--volume', `${logPath}:/logs:ro`]
    await docker('run', ...shape, ...settings, ...folders, ...parameters, image)
    await container.answers()
    return container
  }

  async answers(): Promise<void> {
    const isUp = async () =>
      (await fetch(`${this.url}/health`).then(
        ({ status }) => status,
        () => 0,
      )) === 200
    await eventually(isUp, `${this.name} answers`)
  }

  async start(): Promise<void> {
    await docker('start', this.name)
    await this.answers()
  }

  /** Answers the exit code and how long it took. */
  async stop(): Promise<{ exitCode: number; tookMs: number }> {
    const startMs = performance.now()
    await docker('stop', this.name)
    const exitCode = Number(await this.inspect('.State.ExitCode'))
    return { exitCode, tookMs: performance.now() - startMs }
  }

  kill = () => docker('kill', '--signal=KILL', this.name)
  inspect = (field: string) => docker('inspect', '--format', `{{${field}}}`, this.name)
  exec = (...command: string[]) => docker('exec', this.name, ...command)

  /** Signs in; the first time that makes the owner's account. */
  async signIn(): Promise<Visitor> {
    if (this.#visitor !== null) return this.#visitor
    this.#visitor = new Visitor(this.url)
    await this.#visitor.setUp(await this.exec('cat', '/data/security/api_key.txt'), account)
    return this.#visitor
  }

  /** All-time totals; null while the history is not there. */
  async totals(): Promise<Totals | null> {
    const visitor = await this.signIn()
    const response = await visitor.request('GET', '/api/stats/dashboard')
    if (response.status === 503) return null
    // Further members do not matter here.
    const { totalBandwidthSaved, totalAddedToCache } = (await response.json()) as Totals
    return { totalBandwidthSaved, totalAddedToCache }
  }

  /** User ids of the processes inside whose command line begins with a text. */
  async usersOf(command: string): Promise<string[]> {
    const table = await docker('top', this.name, '-eo', 'pid,uid,args')
    return table.split('\n').flatMap((line) => {
      const [, uid, args] = /^\s*\d+\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return uid !== undefined && args?.includes(command) === true ? [uid] : []
    })
  }

  async remove(): Promise<void> {
    await tryCommand(['docker', 'rm', '--force', '--volumes', this.name])
    await tryCommand(['docker', 'volume', 'rm', '--force', this.name])
  }
}
