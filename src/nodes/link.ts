import type { Channel } from '../core/lib/channel.ts'
import { errorText } from '../core/lib/error-text.ts'
import type { Logger } from '../core/lib/log.ts'
import type { Timers } from '../core/lib/timers.ts'
import { decodeMessage, encodeMessage } from './codec.ts'
import {
  drainMs,
  handshakeBytesMax,
  heartbeatMs,
  messageBytesMax,
  missedHeartbeatsMax,
  queuedBytesMax,
  recordBytesMax,
  socketBytesMax,
} from './limits.ts'
import { kinds, type Kind, type Opener, type Sealer } from './records.ts'

/** A socket, of either side. */
export interface Wire {
  /** False: the frame was dropped. */
  send(frame: Uint8Array): boolean
  bufferedBytes(): number
  close(reason: string): void
}

export interface LinkParts {
  wire: Wire
  timers: Timers
  log: Pick<Logger, 'error'>
  seal: Sealer
  open: Opener
}

/** Close reasons are sent in one record, and shown. */
const reasonCharsMax = 200

/**
 * An encrypted connection. Whatever is wrong with a record ends it before anything of the record is
 * used. Messages are small until `prove` was called.
 */
export class Link implements Channel {
  onMessage: (message: unknown) => void = () => {}
  onClose: (reason: string) => void = () => {}
  /** For those who own the link; called before `onClose`, which is for those who use it. */
  onEnd: (reason: string) => void = () => {}
  readonly #parts: LinkParts
  /** Of a message. */
  #bytesMax = handshakeBytesMax
  /** Records that wait for the socket. */
  readonly #queue: { kind: Kind; content: Uint8Array }[] = []
  #queuedBytes = 0
  #isDraining = false
  /** Parts of a message that is not complete. */
  #received: Buffer[] = []
  #receivedBytes = 0
  #isOpen = true
  #hasSent = false
  #missed = 0
  #cancelBeat = () => {}

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  /** The other side has proven its key: messages may be large, and it must not fall silent. */
  prove(): void {
    this.#bytesMax = messageBytesMax
    this.#beat()
  }

  get bufferedBytes(): number {
    return this.#queuedBytes + this.#parts.wire.bufferedBytes()
  }

  send(message: unknown, isUrgent = false): void {
    if (!this.#isOpen) throw new Error('the connection is closed')
    const bytes = encodeMessage(message)
    if (bytes.length > this.#bytesMax) {
      throw new RangeError(`a message of ${bytes.length} bytes is larger than ${this.#bytesMax}`)
    }
    if (this.bufferedBytes + bytes.length > queuedBytesMax) {
      throw new RangeError(`more than ${queuedBytesMax} bytes are unsent`)
    }
    if (isUrgent && bytes.length <= recordBytesMax) return this.#write(kinds.urgent, bytes)
    for (let from = 0; from < bytes.length; from += recordBytesMax) {
      const to = from + recordBytesMax
      const kind = to < bytes.length ? kinds.part : kinds.lastPart
      this.#queue.push({ kind, content: bytes.subarray(from, to) })
    }
    this.#queuedBytes += bytes.length
    if (!this.#isDraining) this.#drain()
  }

  /** Writes what the socket takes, and the rest later. */
  #drain(): void {
    const { timers, wire } = this.#parts
    let written = 0
    while (this.#isOpen && wire.bufferedBytes() <= socketBytesMax) {
      const next = this.#queue[written]
      if (next === undefined) break
      written++
      this.#queuedBytes -= next.content.length
      this.#write(next.kind, next.content)
    }
    this.#queue.splice(0, written)
    this.#isDraining = this.#isOpen && this.#queue.length > 0
    if (this.#isDraining) timers.after(drainMs, () => this.#drain())
  }

  close(reason: string): void {
    if (!this.#isOpen) return
    this.#write(kinds.close, Buffer.from(reason.slice(0, reasonCharsMax)))
    this.#end(reason)
  }

  /** A frame of the socket. */
  receive(frame: Uint8Array): void {
    if (!this.#isOpen) return
    try {
      this.#read(frame)
    } catch (error) {
      // The other side learns nothing: whoever alters records need not know which check failed.
      this.#end(`a record was refused: ${errorText(error)}`)
    }
  }

  /** The socket is closed. */
  closed(): void {
    this.#end('the connection was lost')
  }

  #read(frame: Uint8Array): void {
    const { kind, content } = this.#parts.open(frame)
    // Parts are full, so that a message is never made of millions of tiny ones.
    const isRightSize =
      kind === kinds.part ? content.length === recordBytesMax : content.length <= recordBytesMax
    if (!isRightSize) throw new RangeError('the record has a wrong size')
    this.#missed = 0
    if (kind === kinds.heartbeat) return
    if (kind === kinds.close) {
      return this.#end(content.toString('utf8', 0, 4 * reasonCharsMax).slice(0, reasonCharsMax))
    }
    const isUrgent = kind === kinds.urgent
    const bytes = isUrgent ? content.length : this.#receivedBytes + content.length
    if (bytes > this.#bytesMax) throw new RangeError('the message is too large')
    if (isUrgent) return this.onMessage(decodeMessage(content))
    this.#receivedBytes = bytes
    this.#received.push(content)
    if (kind === kinds.part) return
    const message = decodeMessage(Buffer.concat(this.#received))
    this.#received = []
    this.#receivedBytes = 0
    this.onMessage(message)
  }

  #write(kind: Kind, content: Uint8Array): void {
    if (!this.#isOpen) return
    this.#hasSent = true
    if (!this.#parts.wire.send(this.#parts.seal(kind, content))) {
      this.#end('the connection took no more')
    }
  }

  #beat(): void {
    this.#cancelBeat = this.#parts.timers.after(heartbeatMs, () => {
      if (this.#missed++ >= missedHeartbeatsMax) return this.close('the other side is silent')
      if (!this.#hasSent) this.#write(kinds.heartbeat, Buffer.alloc(0))
      this.#hasSent = false
      if (this.#isOpen) this.#beat()
    })
  }

  #end(reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#received = []
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#cancelBeat()
    this.#parts.wire.close(reason)
    for (const listener of [this.onEnd, this.onClose]) {
      try {
        listener(reason)
      } catch (error) {
        this.#parts.log.error({ err: error, reason }, 'the end of a connection was not handled')
      }
    }
  }
}
