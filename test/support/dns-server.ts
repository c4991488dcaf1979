import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import packet, { type Answer, type Packet, type Question } from 'dns-packet'
import { pointerName } from '../../src/core/lib/dns-question.ts'

const rcodes = { none: 3, refused: 5, broken: 2 } as const
/** Longer answers are truncated over UDP. */
const udpBytesMax = 512

/** Reaction of the server to a query: records, a refusal, or no answer. */
type Reply = Answer[] | keyof typeof rcodes | 'silent'

/** A DNS server on this machine with configured answers, which records its queries. */
export class DnsServer {
  readonly #socket: Socket
  readonly #tcp: Server | null
  readonly #replies = new Map<string, Reply>()
  /** Queries so far, `<type> <name>`. */
  readonly asked: string[] = []
  /** Answers that are currently held back. */
  readonly held: (() => void)[] = []
  isHolding = false
  usual: Reply = 'none'
  /** What is sent over UDP in place of an answer. */
  garble = (answer: Buffer): Buffer[] => [answer]

  private constructor(socket: Socket, tcp: Server | null) {
    this.#socket = socket
    this.#tcp = tcp
    tcp?.on('connection', (client) => {
      client.on('error', () => {})
      client.on('data', (query: Buffer) => {
        const { id, questions: [question] = [] } = packet.decode(query.subarray(2))
        const answer = question === undefined ? null : this.#answer(question, id ?? 0)
        if (answer === null) return
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        client.write(Buffer.concat([length, answer]))
      })
    })
    socket.on('message', (message, from) => {
      const { id, questions = [] } = packet.decode(message)
      const question = questions[0]
      if (question === undefined) return
      this.asked.push(`${question.type} ${question.name}`)
      const send = () => {
        const answer = this.#answer(question, id ?? 0, udpBytesMax)
        for (const message of answer === null ? [] : this.garble(answer))
          socket.send(message, from.port, from.address)
      }
      if (this.isHolding) this.held.push(send)
      else send()
    })
  }

  static async start(hasTcp = false): Promise<DnsServer> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    if (!hasTcp) return new DnsServer(socket, null)
    const tcp = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false))
      tcp.listen(socket.address().port, '127.0.0.1', () => resolve(true))
    })
    if (isFree) return new DnsServer(socket, tcp)
    // Another program has the port of this number.
    socket.close()
    return DnsServer.start(true)
  }

  /** As in `Dns__Servers`. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  set(type: string, name: string, reply: Reply): void {
    this.#replies.set(`${type} ${name}`, reply)
  }

  /** Sets the name of an address; several names are several records. */
  name(address: string, ...names: string[]): void {
    const name = pointerName(address)
    this.set(
      'PTR',
      name,
      names.map((data) => ({ type: 'PTR', name, ttl: 60, data })),
    )
  }

  /** Sends the held answers. */
  release(): void {
    this.isHolding = false
    for (const send of this.held.splice(0)) send()
  }

  stop(): void {
    this.#socket.close()
    this.#tcp?.close()
  }

  #answer(question: Question, id: number, bytesMax = Infinity): Buffer | null {
    const reply = this.#replies.get(`${question.type} ${question.name}`) ?? this.usual
    if (reply === 'silent') return null
    const rcode = typeof reply === 'string' ? rcodes[reply] : 0
    const answers = typeof reply === 'string' ? [] : reply
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
    const response: Packet = { type: 'response', id, flags, questions: [question] }
    const whole = packet.encode({ ...response, answers })
    const cut = flags | packet.TRUNCATED_RESPONSE
    return whole.length <= bytesMax ? whole : packet.encode({ ...response, flags: cut })
  }
}
