import type { Clock } from '../../core/lib/clock.ts'

/** Answers kept at once; the least recently used one makes room. */
export const cachedReportsMax = 200
/** How long an answer about the present is good unless new rows arrive first. */
export const liveTtlMs = 2000
/** How long an answer about a given range is good. */
export const rangeTtlMs = 60_000

interface Entry {
  expiresAt: number
  isLive: boolean
  value: Promise<unknown>
}

/**
 * Keeps the answers of reports for a short time. Callers that ask for the same at once share one
 * computation; what failed is not kept.
 */
export class ReportCache {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.size
  }

  get<T>(key: string, options: { isLive: boolean }, compute: () => Promise<T>): Promise<T> {
    const now = this.#clock.elapsedMs()
    const known = this.#entries.get(key)
    this.#entries.delete(key)
    if (known !== undefined && known.expiresAt > now) {
      this.#entries.set(key, known)
      // A key always names the same kind of report, so its type is the caller's.
      return known.value as Promise<T>
    }
    const value = compute()
    const expiresAt = now + (options.isLive ? liveTtlMs : rangeTtlMs)
    this.#entries.set(key, { expiresAt, isLive: options.isLive, value })
    this.#makeRoom()
    const forget = () => {
      if (this.#entries.get(key)?.value === value) this.#entries.delete(key)
    }
    value.catch(forget)
    return value
  }

  /** New rows arrived: what is about the present is computed again. */
  dropLive(): void {
    for (const [key, entry] of this.#entries) if (entry.isLive) this.#entries.delete(key)
  }

  /** Something changed that answers about the past depend on. */
  dropAll(): void {
    this.#entries.clear()
  }

  #makeRoom(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= cachedReportsMax) return
      this.#entries.delete(key)
    }
  }
}
