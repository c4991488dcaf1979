/** Offsets are cached per quarter of an hour: no zone changes within one. */
const quarterS = 900
const dayS = 86_400
/** About three months of quarters; then the cache is cleared. */
const maxRemembered = 8192

/** Converts local times of a zone to UTC, including clock changes. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat
  readonly #offsets = new Map<number, number>()

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /**
   * Unix seconds of a local time, given as if it were UTC. An ambiguous time is the first of the
   * two; one that a clock change skips is later by the size of the change.
   */
  toUtc(localS: number): number {
    const quarter = localS - (localS % quarterS)
    let offsetS = this.#offsets.get(quarter)
    if (offsetS === undefined) {
      offsetS = this.#offsetOfLocal(quarter)
      if (this.#offsets.size >= maxRemembered) this.#offsets.clear()
      this.#offsets.set(quarter, offsetS)
    }
    return localS - offsetS
  }

  #offsetOfLocal(localS: number): number {
    const before = this.#offsetAt(localS - dayS)
    if (this.#offsetAt(localS - before) === before) return before
    const after = this.#offsetAt(localS + dayS)
    return this.#offsetAt(localS - after) === after ? after : before
  }

  /** Seconds by which local clocks are ahead of UTC. */
  #offsetAt(utcS: number): number {
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(utcS * 1000)) {
      parts[type] = Number(value)
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - utcS
  }
}
