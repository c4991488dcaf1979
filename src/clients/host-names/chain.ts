import type { Clock } from '../../core/lib/clock.ts'
import { normalAddress } from '../../core/lib/address.ts'
import type { AddressesReason, Outcome } from './contract.ts'
import { clientName } from './name-rules.ts'
import { askAddresses, askServer, pointerName, type Answer } from '../../core/lib/dns-question.ts'
import {
  networksMax,
  networksOf,
  serversFor,
  type ServerRules,
} from '../../core/lib/dns-servers.ts'

/** Lifetime of the list of resolvers. */
const serversTtlMs = 10 * 60_000
/** After this many consecutive timeouts a resolver is skipped for a while. */
const silentMax = 3
const silentTtlMs = 5 * 60_000
/** Addresses per name. */
const addressesMax = 64

const isEmpty = ({ kind }: Answer) => kind === 'empty' || kind === 'unknown'

interface Silence {
  count: number
  until: number
}

/**
 * Queries several resolvers in turn until one has an answer; the last successful one is tried
 * first.
 */
export class ResolverChain {
  readonly #rules: ServerRules
  readonly #clock: Clock
  readonly #queryMs: number
  readonly #silent = new Map<string, Silence>()
  readonly #networks = new Set<string>()
  #servers: string[] = []
  #serversUntil = 0
  #best: string | null = null

  constructor(rules: ServerRules, { clock, queryMs }: { clock: Clock; queryMs: number }) {
    this.#rules = rules
    this.#clock = clock
    this.#queryMs = queryMs
  }

  /** Discovers the resolvers again next time. */
  forget(): void {
    this.#serversUntil = 0
    this.#networks.clear()
    this.#silent.clear()
    this.#best = null
  }

  /** Must be called before queries; `clients` show in which networks to look for routers. */
  prepare(clients: readonly string[]): boolean {
    const now = this.#clock.elapsedMs()
    const known = this.#networks.size
    for (const network of networksOf(clients)) {
      if (this.#networks.size < networksMax) this.#networks.add(network)
    }
    if (this.#serversUntil <= now || this.#networks.size > known) {
      this.#servers = serversFor(this.#rules, [...this.#networks])
      this.#serversUntil = now + serversTtlMs
    }
    return this.#servers.length > 0
  }

  async nameOf(address: string): Promise<Outcome> {
    if (this.#servers.length === 0) return { kind: 'noResolver' }
    let isKnownEmpty = false
    for (const server of this.#order()) {
      const target = { server, limitMs: this.#queryMs }
      const answer = this.#heard(server, await askServer(target, 'PTR', pointerName(address)))
      const names = answer.kind === 'found' ? answer.values.map(clientName) : []
      const name = names.find((found) => found !== null) ?? null
      if (name !== null) {
        this.#best = server
        return { kind: 'name', name }
      }
      if (answer.kind === 'found' || isEmpty(answer)) isKnownEmpty = true
    }
    return { kind: isKnownEmpty ? 'none' : 'failed' }
  }

  async addressesOf(name: string): Promise<{ addresses: string[]; reason: AddressesReason }> {
    if (this.#servers.length === 0) return { addresses: [], reason: 'noResolver' }
    let isKnownEmpty = false
    for (const server of this.#order()) {
      const answers = await askAddresses({ server, limitMs: this.#queryMs }, name)
      for (const answer of answers) this.#heard(server, answer)
      const found = answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : []))
      const addresses = [...new Set(found.map(normalAddress))].filter((address) => address !== null)
      if (addresses.length > 0) {
        this.#best = server
        return { addresses: addresses.slice(0, addressesMax), reason: 'none' }
      }
      if (answers.every(isEmpty)) isKnownEmpty = true
    }
    return { addresses: [], reason: isKnownEmpty ? 'noRecords' : 'resolverTimeout' }
  }

  #order(): string[] {
    const now = this.#clock.elapsedMs()
    const awake = this.#servers.filter((server) => {
      const silence = this.#silent.get(server)
      return silence === undefined || silence.count < silentMax || silence.until <= now
    })
    const best = awake.filter((server) => server === this.#best)
    return [...best, ...awake.filter((server) => server !== this.#best)]
  }

  #heard(server: string, answer: Answer): Answer {
    if (answer.kind === 'late') {
      const count = (this.#silent.get(server)?.count ?? 0) + 1
      this.#silent.set(server, { count, until: this.#clock.elapsedMs() + silentTtlMs })
    } else this.#silent.delete(server)
    return answer
  }
}
