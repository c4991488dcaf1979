/**
 * Status line and headers together, of interim answers, too; also trailers, and everything else
 * between two chunks. Real ones have about a kilobyte.
 */
const headBytesMax = 32 * 1024
/** A chunk's size line, extensions included. */
const sizeLineMax = 256

/** The answer is not HTTP/1.1 as a proxy sends it. */
export class ResponseError extends Error {}

export interface ResponseHead {
  status: number
  /** Names in lower case; of repeated ones the last. */
  headers: ReadonlyMap<string, string>
  /** The connection can serve another request afterwards. */
  isKeptOpen: boolean
}

/** How the end of a body is known. */
type Framing =
  | { kind: 'length' | 'chunk'; left: number }
  | { kind: 'chunk-size' | 'trailer'; line: string }
  | { kind: 'close' | 'done' }

function parseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? []
  if (status === undefined) throw new ResponseError('the answer is not HTTP/1.1')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new ResponseError('the answer has a malformed header')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const connection = headers.get('connection')?.toLowerCase() ?? ''
  const isKeptOpen = minor === '1' && connection !== 'close'
  return { status: Number(status), headers, isKeptOpen }
}

function framingOf({ status, headers }: ResponseHead): Framing {
  if (status === 204 || status === 304 || status < 200) return { kind: 'done' }
  const encoding = headers.get('transfer-encoding')
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== 'chunked') throw new ResponseError('unknown transfer encoding')
    return { kind: 'chunk-size', line: '' }
  }
  const length = headers.get('content-length')
  if (length === undefined) return { kind: 'close' }
  if (!/^\d{1,15}$/.test(length)) throw new ResponseError('malformed Content-Length')
  return length === '0' ? { kind: 'done' } : { kind: 'length', left: Number(length) }
}

/** Receives a response; what it throws, `read` throws. */
export interface ResponseSink {
  onHead(head: ResponseHead): void
  onBody(bytes: Buffer): void
}

/** Reads one response to a GET from the chunks of a connection, without keeping its body. */
export class ResponseParser {
  head: ResponseHead | null = null
  readonly #sink: ResponseSink
  #headBytes: Buffer = Buffer.alloc(0)
  /** Since the last byte of a body. */
  #bytesAround = 0
  #framing: Framing | null = null

  constructor(sink: ResponseSink) {
    this.#sink = sink
  }

  get isDone(): boolean {
    return this.#framing?.kind === 'done'
  }

  /** The chunk need not be valid afterwards. Throws ResponseError. */
  read(chunk: Buffer): void {
    let rest = this.head === null ? this.#readHead(chunk) : chunk
    while (rest.length > 0) {
      if (this.isDone) throw new ResponseError('more bytes than the answer has')
      rest = this.#readBody(rest)
    }
  }

  #countAround(bytes: number): void {
    this.#bytesAround += bytes
    if (this.#bytesAround > headBytesMax) throw new ResponseError('the headers are too long')
  }

  /** The connection was closed. Throws ResponseError when the answer is incomplete. */
  end(): void {
    if (this.#framing?.kind === 'close') this.#framing = { kind: 'done' }
    if (!this.isDone) throw new ResponseError('the connection was closed before the end')
  }

  #readHead(chunk: Buffer): Buffer {
    const bytes = this.#headBytes.length === 0 ? chunk : Buffer.concat([this.#headBytes, chunk])
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) {
      if (bytes.length > headBytesMax) throw new ResponseError('the headers are too long')
      // The chunk is valid only now.
      this.#headBytes = Buffer.from(bytes)
      return Buffer.alloc(0)
    }
    this.#countAround(end + 4)
    this.#headBytes = Buffer.alloc(0)
    const head = parseHead(bytes.toString('latin1', 0, end))
    // Interim answers precede the real one.
    if (head.status < 200) return this.#readHead(bytes.subarray(end + 4))
    this.head = head
    this.#framing = framingOf(head)
    this.#sink.onHead(head)
    return bytes.subarray(end + 4)
  }

  #readBody(bytes: Buffer): Buffer {
    const framing = this.#framing
    if (framing === null) return bytes
    if ('line' in framing) return this.#readLine(bytes, framing)
    if (!('left' in framing)) {
      this.#sink.onBody(bytes)
      return Buffer.alloc(0)
    }
    this.#bytesAround = 0
    const part = bytes.subarray(0, framing.left)
    framing.left -= part.length
    if (part.length > 0) this.#sink.onBody(part)
    if (framing.left === 0) {
      this.#framing =
        framing.kind === 'length' ? { kind: 'done' } : { kind: 'chunk-size', line: '' }
    }
    return bytes.subarray(part.length)
  }

  #readLine(bytes: Buffer, framing: { kind: 'chunk-size' | 'trailer'; line: string }): Buffer {
    const end = bytes.indexOf(0x0a)
    framing.line += bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
    if (framing.line.length > sizeLineMax) throw new ResponseError('a chunk line is too long')
    this.#countAround(end === -1 ? bytes.length : end + 1)
    if (end === -1) return Buffer.alloc(0)
    const line = framing.line.trim()
    framing.line = ''
    if (framing.kind === 'trailer') {
      if (line === '') this.#framing = { kind: 'done' }
    } else if (line !== '') {
      const [, digits] = /^([0-9a-f]{1,12})\s*(?:;|$)/i.exec(line) ?? []
      if (digits === undefined) throw new ResponseError('malformed chunk size')
      const left = Number.parseInt(digits, 16)
      this.#framing = left === 0 ? { kind: 'trailer', line: '' } : { kind: 'chunk', left }
    }
    return bytes.subarray(end + 1)
  }
}
