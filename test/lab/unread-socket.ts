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
/** Segments as on a real network: on loopback they are so large that buffers take megabytes. */
const segmentBytes = 536
const bufferBytes = 4096
const established = '01'

const int = (value: number) => new Int32Array([value])
const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/**
 * A connection that is never read, not even by a runtime in the background: the peer's data stays
 * in its buffers, which are as small as the system allows.
 */
export class UnreadSocket {
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

  /** Opens the receive window, so that the peer can send normally. */
  widen(bytes: number): void {
    libc.setsockopt(this.#file, socketLevel, receiveBuffer, int(bytes), 4)
  }

  /** The available bytes, at most `limit`; null if there are none at the moment. */
  read(limit: number): Buffer | null {
    const bytes = Buffer.alloc(limit)
    const count = Number(libc.recv(this.#file, bytes, limit, dontWait))
    return count > 0 ? bytes.subarray(0, count) : null
  }

  /** Whether the connection is still open for the peer. */
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
