import { dlopen } from 'bun:ffi'
import { readFileSync } from 'node:fs'

const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['int', 'int', 'int'], returns: 'int' },
  setsockopt: { args: ['int', 'int', 'int', 'ptr', 'u32'], returns: 'int' },
  connect: { args: ['int', 'ptr', 'u32'], returns: 'int' },
  getsockname: { args: ['int', 'ptr', 'ptr'], returns: 'int' },
  send: { args: ['int', 'ptr', 'u64', 'int'], returns: 'i64' },
  recv: { args: ['int', 'ptr', 'u64', 'int'], returns: 'i64' },
  close: { args: ['int'], returns: 'int' },
})
const internet = 2
const stream = 1
const socketLevel = 1
const receiveBuffer = 8
const tcpLevel = 6
const maxSegment = 2
const dontWait = 0x40
/** Segments as on a wire: on the loopback they are so large that buffers take megabytes. */
const segmentBytes = 536
const bufferBytes = 4096
const established = '01'

const int = (value: number) => new Int32Array([value])
const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/**
 * A connection whose receiving side nobody empties, not even a run-time in the background: what the
 * other side sends stays in its buffers, which are as small as the system allows.
 */
export class DeafSocket {
  readonly #file: number
  readonly #serverPort: number
  readonly #ownPort: number

  /** Connects to a port of this machine and sends a request. */
  constructor(port: number, request: string) {
    this.#file = libc.socket(internet, stream, 0)
    libc.setsockopt(this.#file, socketLevel, receiveBuffer, int(bufferBytes), 4)
    libc.setsockopt(this.#file, tcpLevel, maxSegment, int(segmentBytes), 4)
    const address = new Uint8Array([internet, 0, port >> 8, port & 255, 127, 0, 0, 1, ...Array(8)])
    if (libc.connect(this.#file, address, address.length) !== 0) throw new Error('not connected')
    const own = new Uint8Array(address.length)
    libc.getsockname(this.#file, own, int(own.length))
    this.#ownPort = ((own[2] ?? 0) << 8) | (own[3] ?? 0)
    this.#serverPort = port
    const bytes = Buffer.from(request)
    libc.send(this.#file, bytes, bytes.length, 0)
  }

  /** Lets the other side send as it would to anybody. */
  widen(bytes: number): void {
    libc.setsockopt(this.#file, socketLevel, receiveBuffer, int(bytes), 4)
  }

  /** What is there, at most `limit` bytes; null when there is nothing at the moment. */
  read(limit: number): Buffer | null {
    const bytes = Buffer.alloc(limit)
    const count = Number(libc.recv(this.#file, bytes, limit, dontWait))
    return count > 0 ? bytes.subarray(0, count) : null
  }

  /** Is it still a connection for the other side? */
  isConnected(): boolean {
    return readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .some((line) => {
        const [, local, remote, state] = line.trim().split(/\s+/)
        const isOurs = local?.endsWith(`:${hexPort(this.#serverPort)}`) === true
        const isTheirs = remote?.endsWith(`:${hexPort(this.#ownPort)}`) === true
        return isOurs && isTheirs && state === established
      })
  }

  close(): void {
    libc.close(this.#file)
  }
}
