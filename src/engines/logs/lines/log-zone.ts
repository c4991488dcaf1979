/** Offsets are cached per quarter of an hour: no zone changes within one. */
const quarterS = 900
/** About three months of quarters; then the cache is cleared. */
const maxRemembered = 8192

/** Converts local times of a zone to UTC, including clock changes. */
export class ZoneClock {
  readonly #zone: string
  readonly #offsets = new Map<number, number>()

  constructor(timeZone: string) {
    this.#zone = timeZone
  }

  /**
   * Unix seconds of a local time, given as if it were UTC. An ambiguous time is the first of the
   * two; one that a clock change skips is later by the size of the change.
   */
  toUtc(localS: number): number {
    const quarter = localS - (localS % quarterS)
    let offsetS = this.#offsets.get(quarter)
    if (offsetS === undefined) {
      const asUtc = Temporal.Instant.fromEpochMilliseconds(quarter * 1000).toZonedDateTimeISO('UTC')
      const local = asUtc.toPlainDateTime().toZonedDateTime(this.#zone)
      offsetS = quarter - local.epochMilliseconds / 1000
      if (this.#offsets.size >= maxRemembered) this.#offsets.clear()
      this.#offsets.set(quarter, offsetS)
    }
    return localS - offsetS
  }
}
