/*
 * The node's end of the WebSocket. Bun's client takes frames of up to 128 MiB into memory before
 * they are seen, and inflates what a server compresses: a server that has proven nothing, or
 * whoever is on a wire without TLS, could end a node in a small container again and again. Here the
 * header of a frame decides: records are small, so that nothing larger is ever kept.
 */
import { createHash, randomBytes } from 'node:crypto'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { frameBytesMax } from './limits.ts'

/** The answer to the upgrade. */
const headBytesMax = 8 * 1024
const headEnd = '\r\n\r\n'
/** Completes a key to what the server proves with; RFC 6455, 1.3. */
const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 } as const
const controlBytesMax = 125
const normalClosure = Buffer.from([0x03, 0xe8])

export interface SocketEvents {
  open(): void
  frame(content: Buffer): void
  /** Called once; the problem is null when the server closed it. */
  closed(problem: string | null): void
}

/** A frame, masked as clients have to. */
function maskedFrame(opcode: number, content: Uint8Array): Buffer {
  const isShort = content.length <= controlBytesMax
  const head = isShort ? 6 : 8
  const frame = Buffer.alloc(head + content.length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (isShort ? content.length : 126)
  if (!isShort) frame.writeUInt16BE(content.length, 2)
  const mask = randomBytes(4)
  mask.copy(frame, head - 4)
  for (let at = 0; at < content.length; at++) {
    frame[head + at] = (content[at] ?? 0) ^ (mask[at % 4] ?? 0)
  }
  return frame
}

/** The first frame of the bytes, and where the next one begins; null: it is not complete. */
function frameOf(bytes: Buffer): { opcode: number; content: Buffer; end: number } | null {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return null
  const opcode = first & 0x0f
  if (first !== (0x80 | opcode) || second > 126)
    throw new Error('the service sent no frame of ours')
  const start = second === 126 ? 4 : 2
  if (bytes.length < start) return null
  const length = second === 126 ? bytes.readUInt16BE(2) : second
  const isControl = opcode >= opcodes.close
  if (length > (isControl ? controlBytesMax : frameBytesMax))
    throw new Error('the frame is too large')
  const end = start + length
  return bytes.length < end ? null : { opcode, content: bytes.subarray(start, end), end }
}

function openStream(url: URL): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isTls = url.protocol === 'https:'
  const port = Number(url.port || (isTls ? 443 : 80))
  if (!isTls) return connectPlain({ host, port })
  return connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
}

/** A WebSocket to this http or https address. */
export class ClientSocket {
  readonly #stream: Socket
  readonly #events: SocketEvents
  readonly #key = randomBytes(16).toString('base64')
  #received: Buffer = Buffer.alloc(0)
  #isUpgraded = false
  #isOver = false

  constructor(url: URL, events: SocketEvents) {
    this.#events = events
    const stream = openStream(url)
    this.#stream = stream
    stream.setNoDelay(true)
    stream.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      stream.write(this.#request(url)),
    )
    stream.on('data', (block: Buffer) => this.#take(block))
    stream.on('error', (error) => this.#end(error.message))
    stream.on('close', () => this.#end(this.#isUpgraded ? null : 'the service does not answer'))
  }

  /** Bytes that were sent and have not left this process. */
  get bufferedBytes(): number {
    return this.#stream.writableLength
  }

  /** False: it is closed. */
  send(content: Uint8Array): boolean {
    if (this.#isOver) return false
    this.#stream.write(maskedFrame(opcodes.binary, content))
    return true
  }

  /** What was sent before is still delivered, if the service takes it in time. */
  close(): void {
    if (!this.#isOver) this.#stream.end(maskedFrame(opcodes.close, normalClosure))
  }

  terminate(): void {
    this.#stream.destroy()
    this.#end(null)
  }

  #request({ host, pathname, search, username, password }: URL): string {
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Key: ${this.#key}`,
      'Sec-WebSocket-Version: 13',
      ...(username === '' ? [] : [`Authorization: Basic ${btoa(login)}`]),
      '',
      '',
    ].join('\r\n')
  }

  #take(block: Buffer): void {
    if (this.#isOver) return
    try {
      this.#received = Buffer.concat([this.#received, block])
      if (!this.#isUpgraded && !this.#upgrade()) return
      for (let frame = frameOf(this.#received); frame !== null; frame = frameOf(this.#received)) {
        this.#received = this.#received.subarray(frame.end)
        this.#handle(frame.opcode, frame.content)
        if (this.#isOver) return
      }
    } catch (error) {
      this.#end(error instanceof Error ? error.message : String(error))
      this.#stream.destroy()
    }
  }

  #handle(opcode: number, content: Buffer): void {
    if (opcode === opcodes.binary) return this.#events.frame(content)
    if (opcode === opcodes.close) {
      this.close()
      return this.#end(null)
    }
    // A server that does not read answers to its questions gets no more of them.
    const isPing = opcode === opcodes.ping && this.bufferedBytes <= frameBytesMax
    if (isPing) this.#stream.write(maskedFrame(opcodes.pong, content))
    else if (opcode !== opcodes.pong && opcode !== opcodes.ping) {
      throw new Error('the service sent no frame of ours')
    }
  }

  /** Reads the head of the answer; false: it is not complete. */
  #upgrade(): boolean {
    const end = this.#received.indexOf(headEnd)
    if (end < 0 && this.#received.length <= headBytesMax) return false
    if (end < 0 || end > headBytesMax) throw new Error('the answer of the service is too long')
    const [status = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const [, code = status.slice(0, 40)] = /^HTTP\/1\.1 (\d{3})/.exec(status) ?? []
    if (code !== '101') throw new Error(`the service answers ${code} instead of 101`)
    const proof = createHash('sha1')
      .update(this.#key + keySuffix)
      .digest('base64')
    const isProven = lines.some((line) => {
      const [name = '', value = ''] = line.split(/:\s*/, 2)
      return name.toLowerCase() === 'sec-websocket-accept' && value.trim() === proof
    })
    if (!isProven) throw new Error('the answer of the service is no WebSocket')
    this.#received = this.#received.subarray(end + headEnd.length)
    this.#isUpgraded = true
    this.#events.open()
    return true
  }

  #end(problem: string | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#received = Buffer.alloc(0)
    this.#events.closed(problem)
  }
}
