/*
 * `prefill/protocol` reads and writes what manager and daemon send each other: frames of a length
 * and JSON, commands, events, their payloads, the encryption of credentials, time limits. It does
 * no I/O, so our own daemon and the manager share it. Readers accept what published images send,
 * names the images differ in included, and throw for anything else: a message that cannot be read
 * must not count as an empty one. Ids are texts, on the wire numbers where the platform has
 * numbers. Manifest ids have 64 bits; a JavaScript number would round them, so the JSON reader
 * keeps the digits.
 */
/** The longest content of a frame, in bytes. */
export const frameBytesMax = 10 * 1024 * 1024

const headBytes = 4
/** Memory for a frame's content grows with what arrives, not with the length that was announced. */
const firstBytes = 16 * 1024

/** The peer does not speak the protocol; the connection cannot be used any more. */
export class FrameError extends Error {}

/** A text as a frame: its length in bytes as little-endian int32, then its UTF-8. */
export function encodeFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  if (bytes < 1 || bytes > frameBytesMax) {
    throw new FrameError(`a frame holds 1 to ${frameBytesMax} bytes, not ${bytes}`)
  }
  const frame = Buffer.allocUnsafe(headBytes + bytes)
  frame.writeInt32LE(bytes)
  frame.write(text, headBytes)
  return frame
}

/** Puts frames together from the chunks of one connection. */
export class FrameReader {
  /** Longer frames are refused. */
  bytesMax: number
  readonly #head = Buffer.alloc(headBytes)
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #headFilled = 0
  /** Null between two frames. */
  #body: Buffer | null = null
  #bodyFilled = 0
  #bodyBytes = 0

  constructor(bytesMax = frameBytesMax) {
    this.bytesMax = bytesMax
  }

  /**
   * Texts of the frames that this chunk completes, one by one. Throws FrameError for a length or
   * bytes that are not allowed; nothing may be read afterwards.
   */
  *read(chunk: Uint8Array): Generator<string, void, undefined> {
    for (let at = 0; at < chunk.length;) {
      at = this.#body === null ? this.#fillHead(chunk, at) : this.#fillBody(this.#body, chunk, at)
      if (this.#body === null || this.#bodyFilled < this.#bodyBytes) continue
      const content = this.#body.subarray(0, this.#bodyBytes)
      this.#body = null
      this.#headFilled = 0
      yield this.#decode(content)
    }
  }

  #fillHead(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + headBytes - this.#headFilled)
    this.#head.set(chunk.subarray(at, end), this.#headFilled)
    this.#headFilled += end - at
    if (this.#headFilled < headBytes) return end
    const bytes = this.#head.readInt32LE()
    if (bytes < 1 || bytes > this.bytesMax) {
      throw new FrameError(`a frame of ${bytes} bytes; allowed are 1 to ${this.bytesMax}`)
    }
    this.#bodyBytes = bytes
    this.#bodyFilled = 0
    this.#body = Buffer.allocUnsafe(Math.min(bytes, firstBytes))
    return end
  }

  #fillBody(body: Buffer, chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#bodyBytes - this.#bodyFilled)
    const filled = this.#bodyFilled + end - at
    let target = body
    if (filled > body.length) {
      target = Buffer.allocUnsafe(Math.min(this.#bodyBytes, Math.max(filled, 2 * body.length)))
      target.set(body.subarray(0, this.#bodyFilled))
    }
    target.set(chunk.subarray(at, end), this.#bodyFilled)
    this.#body = target
    this.#bodyFilled = filled
    return end
  }

  #decode(content: Buffer): string {
    try {
      return this.#utf8.decode(content)
    } catch (cause) {
      throw new FrameError('a frame is not UTF-8', { cause })
    }
  }
}
