/** Who takes from a pool. */
export interface Holder {
  /** An account holder, whom guests and visitors cannot keep out. */
  isAccount: boolean
  sessionId: string | null
  /** As rate limits count it; null: a Unix socket. */
  address: string | null
}

export interface ShareLimits {
  /** Of everyone together. */
  total: number
  /** Of guests and visitors together; the rest is kept for accounts. */
  guests: number
  /** Of one guest session. */
  perSession: number
  /** Of the guests and visitors with one address. */
  perAddress: number
}

/** A pool in which guests and visitors have shares, so that nobody uses up what others need. */
export class Shares {
  readonly #limits: ShareLimits
  readonly #held = new Map<string, number>()

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  hasRoom(holder: Holder, amount = 1): boolean {
    return this.#parts(holder).every(([part, max]) => (this.#held.get(part) ?? 0) + amount <= max)
  }

  /** Takes the amount; call the returned function once to give it back. Null: there is no room. */
  take(holder: Holder, amount = 1): (() => void) | null {
    if (!this.hasRoom(holder, amount)) return null
    const parts = this.#parts(holder).map(([part]) => part)
    for (const part of parts) this.#held.set(part, (this.#held.get(part) ?? 0) + amount)
    return () => {
      for (const part of parts) {
        const left = (this.#held.get(part) ?? 0) - amount
        if (left > 0) this.#held.set(part, left)
        else this.#held.delete(part)
      }
    }
  }

  /** The parts of the pool that the holder uses, each with its limit. */
  #parts({ isAccount, sessionId, address }: Holder): [part: string, max: number][] {
    const { total, guests, perSession, perAddress } = this.#limits
    const parts: [string, number][] = [['total', total]]
    if (isAccount) return parts
    parts.push(['guests', guests])
    if (sessionId !== null) parts.push([`session ${sessionId}`, perSession])
    if (address !== null) parts.push([`address ${address}`, perAddress])
    return parts
  }
}
