import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { connect } from 'node:net'
import { randomInt } from 'node:crypto'
import type { DecodedPacket } from 'dns-packet'
import ipaddr from 'ipaddr.js'

/** `unknown`: NXDOMAIN; `empty`: no record of this type; `failed`: an error; `late`: no answer. */
export type Answer =
  { kind: 'found'; values: string[] } | { kind: 'unknown' | 'empty' | 'failed' | 'late' }

/** The resolver (null: the system's first) and the time limit. */
export interface Target {
  server: string | null
  limitMs: number
}

type RecordType = 'A' | 'AAAA' | 'PTR'

/** Lost packets are sent again after this share of the time. */
const resendAfter = 0.4
const valuesMax = 64
const rcodeMask = 0x0f
const rcodes = { none: 0, nameError: 3 } as const

/** `address`, `address:port` or `[address]:port`. */
function endpointOf(server: string): { host: string; port: number } {
  const [, v6, v4, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port ?? 53) }
}

const plain = (name: string) => name.replace(/\.$/, '').toLowerCase()

function answerOf({ flags = 0, answers = [] }: DecodedPacket, type: RecordType): Answer {
  const code = flags & rcodeMask
  if (code === rcodes.nameError) return { kind: 'unknown' }
  if (code !== rcodes.none) return { kind: 'failed' }
  const values = answers.flatMap((one) => (one.type === type ? one.data : []))
  return values.length === 0
    ? { kind: 'empty' }
    : { kind: 'found', values: values.slice(0, valuesMax) }
}

interface TcpQuery {
  host: string
  port: number
  /** With two bytes of length. */
  query: Uint8Array
  /** Ends the connection. */
  signal: AbortSignal
}

/** The response over TCP, as far as it came. Never rejects. */
function askOverTcp({ host, port, query, signal }: TcpQuery): Promise<Buffer> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect({ host, port, signal }, () => socket.write(query))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length >= 2 && received.length >= received.readUInt16BE() + 2) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received.subarray(2)))
  })
}

/**
 * Records of a name, by one server. Over UDP with a packet of our own, as the runtime's resolver does
 * not distinguish an unknown name from one without records; over TCP once more if the answer was
 * truncated. Never rejects.
 */
export async function askServer(
  { server, limitMs }: Target,
  type: RecordType,
  name: string,
): Promise<Answer> {
  const { default: packet } = await import('dns-packet')
  const { host, port } = endpointOf(server ?? getServers()[0] ?? '127.0.0.1')
  const id = randomInt(0x1_0000)
  const questions = [{ type, name }]
  const query = { type: 'query', id, flags: packet.RECURSION_DESIRED, questions } as const
  /** Null: not an answer to this query. */
  const read = (message: Buffer): DecodedPacket | null => {
    try {
      const reply = packet.decode(message)
      const [asked] = reply.questions ?? []
      // Some refusals repeat no question.
      const isSame =
        asked === undefined || (asked.type === type && plain(asked.name) === plain(name))
      return reply.type === 'response' && reply.id === id && isSame ? reply : null
    } catch {
      return null
    }
  }
  const over = new AbortController()
  const readWhole = async () =>
    read(await askOverTcp({ host, port, query: packet.streamEncode(query), signal: over.signal }))
  return new Promise((resolve) => {
    const isV6 = ipaddr.IPv6.isValid(host)
    const socket = createSocket(isV6 ? 'udp6' : 'udp4')
    const send = () => socket.send(packet.encode(query), () => {})
    const resend = setTimeout(send, limitMs * resendAfter)
    const end = (answer: Answer) => {
      if (over.signal.aborted) return
      over.abort()
      clearTimeout(limit)
      clearTimeout(resend)
      socket.close(() => resolve(answer))
    }
    const limit = setTimeout(() => end({ kind: 'late' }), limitMs)
    // For example a closed port, or no route to the server.
    socket.on('error', () => end({ kind: 'failed' }))
    socket.on('connect', send)
    socket.on('message', (message) => {
      const reply = read(message)
      if (reply === null) return
      const answer = answerOf(reply, type)
      if (!reply.flag_tc) return end(answer)
      clearTimeout(resend)
      const part: Answer = answer.kind === 'found' ? answer : { kind: 'failed' }
      void readWhole().then((whole) => end(whole === null ? part : answerOf(whole, type)))
    })
    // Connected: messages of other senders never arrive.
    socket.connect(port, host)
  })
}

/** `5.0.0.10.in-addr.arpa`, or 32 nibbles under `ip6.arpa`. */
export function pointerName(address: string): string {
  const parsed = ipaddr.process(address)
  const bytes = parsed.toByteArray().toReversed()
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.in-addr.arpa`
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4])
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`
}

/** Addresses of a name, IPv4 first. */
export const askAddresses = (target: Target, name: string): Promise<[Answer, Answer]> =>
  Promise.all([askServer(target, 'A', name), askServer(target, 'AAAA', name)])
