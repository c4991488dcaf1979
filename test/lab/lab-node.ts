import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cleanups } from '../support/cleanup.ts'
import { startProxy, type Proxy } from './proxy.ts'
import { builtService } from '../support/program.ts'

/** A node as a process of its own, beside a real nginx. */
export class LabNode {
  readonly name: string
  readonly proxy: Proxy
  readonly #root: string
  readonly #serviceUrl: string
  readonly #token: string
  #process: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | null = null
  output = ''

  private constructor(proxy: Proxy, options: Joining) {
    this.proxy = proxy
    this.name = options.name
    this.#root = options.root
    this.#serviceUrl = options.serviceUrl
    this.#token = options.token
    cleanups.push(async () => {
      await this.kill()
      await proxy.stop()
    })
  }

  static async start(options: Joining): Promise<LabNode> {
    mkdirSync(options.root, { recursive: true })
    const node = new LabNode(await startProxy(join(options.root, 'nginx')), options)
    node.start()
    return node
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get dataPath(): string {
    return join(this.#root, 'data')
  }

  start(): void {
    this.#process = Bun.spawn([process.execPath, builtService, 'node'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '/',
        TZ: 'UTC',
        DATA_PATH: this.dataPath,
        Node__Service: this.#serviceUrl,
        Node__Token: this.#token,
        LanCache__LogPath: this.proxy.plainLogs,
        LanCache__CachePath: this.proxy.cachePath,
        LogProcessing__StartAt: 'beginning',
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    void this.#collect(this.#process.stdout)
    void this.#collect(this.#process.stderr)
  }

  /** Like a power cut. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const block of stream) this.output += decoder.decode(block, { stream: true })
  }
}

interface Joining {
  /** Folder of the node's data and of its nginx. */
  root: string
  name: string
  serviceUrl: string
  token: string
}

/** A way to the service that can be cut, and led to a service at another port. */
export function createWire(port: number) {
  const open = new Set<{ end(): void }>()
  const wire = { port, isCut: false }
  const server = Bun.listen<{ out: Bun.Socket | null; waiting: Buffer[] }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { out: null, waiting: [] }
        if (wire.isCut) {
          socket.terminate()
          return
        }
        open.add(socket)
        const opened = Bun.connect({
          hostname: '127.0.0.1',
          port: wire.port,
          socket: {
            open(out) {
              socket.data.out = out
              for (const block of socket.data.waiting.splice(0)) out.write(block)
            },
            data: (_out, block) => void socket.write(block),
            close: () => void socket.end(),
          },
        })
        opened.catch(() => socket.end())
      },
      data({ data: { out, waiting } }, block) {
        if (out === null) waiting.push(Buffer.from(block))
        else out.write(block)
      },
      close(socket) {
        open.delete(socket)
        socket.data.out?.end()
      },
    },
  })
  cleanups.push(() => Promise.resolve(server.stop(true)))
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Later connections go to a service at this port. */
    lead: (to: number) => void (wire.port = to),
    cut() {
      wire.isCut = true
      for (const socket of open) socket.end()
    },
    mend: () => void (wire.isCut = false),
  }
}
