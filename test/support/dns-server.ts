import { createSocket, type Socket } from 'node:dgram'
import packet, { type Answer, type Question } from 'dns-packet'
import { pointerName } from '../../src/core/lib/dns-question.ts'

const rcodes = { none: 3, refused: 5, broken: 2 } as const

/** Reaction of the server to a query: records, a refusal, or no answer. */
type Reply = Answer[] | keyof typeof rcodes | 'silent'

/** A DNS server on this machine with configured answers, which records its queries. */
export class DnsServer {
  readonly #socket: Socket
  readonly #replies = new Map<string, Reply>()
  /** Queries so far, `<type> <name>`. */
  readonly asked: string[] = []
  /** Answers that are currently held back. */
  readonly held: (() => void)[] = []
  isHolding = false
  usual: Reply = 'none'

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (message, from) => {
      const { id, questions = [] } = packet.decode(message)
      const question = questions[0]
      if (question === undefined) return
      this.asked.push(`${question.type} ${question.name}`)
      const send = () => {
        const answer = this.#answer(question, id ?? 0)
        if (answer !== null) socket.send(answer, from.port, from.address)
      }
      if (this.isHolding) this.held.push(send)
      else send()
    })
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    return new DnsServer(socket)
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
  }

  #answer(question: Question, id: number): Buffer | null {
    const reply = this.#replies.get(`${question.type} ${question.name}`) ?? this.usual
    if (reply === 'silent') return null
    const rcode = typeof reply === 'string' ? rcodes[reply] : 0
    const answers = typeof reply === 'string' ? [] : reply
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
    return packet.encode({ type: 'response', id, flags, questions: [question], answers })
  }
}
