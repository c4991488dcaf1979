import type { Clock } from '../../core/lib/clock.ts'

/** Cached answers; the least recently used one is dropped. */
export const cachedReportsMax = 200
/** Lifetime of an answer about the present, unless new rows arrive first. */
export const liveTtlMs = 2000
/** Lifetime of an answer about a past range. */
export const rangeTtlMs = 60_000

interface Entry {
  expiresAt: number
  isLive: boolean
  value: Promise<unknown>
}

/**
 * Caches report answers briefly. Concurrent callers share one computation; failures are not cached.
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
      // A key always names the same kind of report, so the caller knows the type.
      return known.value as Promise<T>
    }
    const value = compute()
    const expiresAt = now + (options.isLive ? liveTtlMs : rangeTtlMs)
    this.#entries.set(key, { expiresAt, isLive: options.isLive, value })
    this.#evict()
    const forget = () => {
      if (this.#entries.get(key)?.value === value) this.#entries.delete(key)
    }
    value.catch(forget)
    return value
  }

  /** New rows arrived: answers about the present are recomputed. */
  dropLive(): void {
    for (const [key, entry] of this.#entries) if (entry.isLive) this.#entries.delete(key)
  }

  /** Something that answers about the past depend on has changed. */
  dropAll(): void {
    this.#entries.clear()
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= cachedReportsMax) return
      this.#entries.delete(key)
    }
  }
}
