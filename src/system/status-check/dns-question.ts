import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { randomInt } from 'node:crypto'
import packet, { type DecodedPacket } from 'dns-packet'
import ipaddr from 'ipaddr.js'
import { normalAddress } from '../../core/lib/address.ts'

/** `unknown`: NXDOMAIN; `empty`: the name has no A record; `failed`: refused; `late`: no answer. */
export type Answer =
  { kind: 'found'; values: string[] } | { kind: 'unknown' | 'empty' | 'failed' | 'late' }

/** Lost packets are sent again after this share of the time. */
const resendAfter = 0.4
const addressesMax = 64
const rcodeMask = 0x0f
const rcodes = { none: 0, nameError: 3 } as const

/** `address`, `address:port` or `[address]:port`. */
function endpointOf(server: string): { host: string; port: number } {
  const [, v6, v4, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port ?? 53) }
}

function answerOf({ flags = 0, answers = [] }: DecodedPacket): Answer {
  const code = flags & rcodeMask
  if (code === rcodes.nameError) return { kind: 'unknown' }
  if (code !== rcodes.none) return { kind: 'failed' }
  const values = answers.flatMap((one) => (one.type === 'A' ? (normalAddress(one.data) ?? []) : []))
  return values.length === 0
    ? { kind: 'empty' }
    : { kind: 'found', values: values.slice(0, addressesMax) }
}

function decode(message: Buffer, id: number): Answer | null {
  try {
    const reply = packet.decode(message)
    return reply.type === 'response' && reply.id === id ? answerOf(reply) : null
  } catch {
    return null
  }
}

/**
 * A records of a name, by one server (null: the system's first). Over UDP with a packet of our own,
 * as the runtime's resolver does not distinguish an unknown name from one without A records. Never
 * rejects.
 */
export function askServer(server: string | null, name: string, limitMs: number): Promise<Answer> {
  const { host, port } = endpointOf(server ?? getServers()[0] ?? '127.0.0.1')
  const id = randomInt(0x1_0000)
  const question = packet.encode({
    type: 'query',
    id,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type: 'A', name }],
  })
  return new Promise((resolve) => {
    const isV6 = ipaddr.IPv6.isValid(host)
    const socket = createSocket(isV6 ? 'udp6' : 'udp4')
    const send = () => socket.send(question, () => {})
    const resend = setTimeout(send, limitMs * resendAfter)
    let isOver = false
    const end = (answer: Answer) => {
      if (isOver) return
      isOver = true
      clearTimeout(limit)
      clearTimeout(resend)
      socket.close(() => resolve(answer))
    }
    const limit = setTimeout(() => end({ kind: 'late' }), limitMs)
    // For example a closed port.
    socket.on('error', () => end({ kind: 'failed' }))
    socket.on('message', (message) => {
      const answer = decode(message, id)
      if (answer !== null) end(answer)
    })
    // Connected: messages of other senders never arrive.
    socket.connect(port, host, send)
  })
}
