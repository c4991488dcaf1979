/** Offsets are remembered per quarter of an hour: no zone changes within one. */
const quarterS = 900
const dayS = 86_400
/** About three months of quarters; then everything is asked again. */
const maxRemembered = 8192

/** Turns times of day in a zone into instants. Clocks that jump are met twice a year. */
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
   * Unix seconds of a local time, given as if it were UTC. A time that comes twice is the first of
   * the two; one that never comes is as much later as the clock was put forward.
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

  /** Seconds that local clocks are ahead of UTC. */
  #offsetAt(utcS: number): number {
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(utcS * 1000)) {
      parts[type] = Number(value)
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - utcS
  }
}
