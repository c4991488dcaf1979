import { latin1 } from '../../titles/bytes.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Length of `20/Nov/2026:21:52:49 +0000`. */
const timeLength = 26
/** Length of `2026-11-20T21:52:49`, which `Z` or `+00:00` may follow. */
const isoLength = 19
const isoZoneLength = 6

const slash = 0x2f
const colon = 0x3a
const dash = 0x2d
const plus = 0x2b
const letterT = 0x54
const letterZ = 0x5a
const space = 0x20

/** Length of the time that starts here, 0 for none. Checks only the separators. */
export function timeLengthAt(buffer: Uint8Array, at: number): number {
  if (buffer[at + 2] === slash) {
    const isTime =
      buffer[at + 6] === slash && buffer[at + 11] === colon && buffer[at + 14] === colon
    return isTime ? timeLength : 0
  }
  const middle = buffer[at + 10]
  const isIso =
    buffer[at + 4] === dash &&
    buffer[at + 7] === dash &&
    buffer[at + 13] === colon &&
    buffer[at + 16] === colon &&
    (middle === letterT || middle === space)
  if (!isIso) return 0
  const next = buffer[at + isoLength]
  if (next === letterZ) return isoLength + 1
  const hasZone = (next === plus || next === dash) && buffer[at + isoLength + 3] === colon
  return hasZone ? isoLength + isoZoneLength : isoLength
}

/** Offsets of the clock in the format: `21:52:49`, and the ` +0000` after it. */
const clockAt = 12
const zoneAt = 20

/** Offsets are cached per quarter of an hour: no zone changes within one. */
const quarterS = 900
/** About three months of quarters; then the cache is cleared. */
const maxRemembered = 8192

/** Converts local times of a zone to UTC, including clock changes. */
class ZoneClock {
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

/** Reads log times. Lines are in order, so nearly every one has the same day as the line before. */
export class TimeReader {
  readonly #last = new Uint8Array(timeLength)
  /** Unix seconds of midnight on the day and in the zone of `#last`. */
  #midnightS = Number.NaN
  readonly #zone: ZoneClock
  #lastIso = ''
  #lastIsoS = Number.NaN

  /** `timeZone`: of times without one. */
  constructor(timeZone: string) {
    this.#zone = new ZoneClock(timeZone)
  }

  /** Unix seconds, or NaN when the bytes are no valid time. */
  read(buffer: Uint8Array, at: number): number {
    if (buffer[at + 4] === dash) return this.#readIso(buffer, at)
    const last = this.#last
    for (let index = 0; index < clockAt; index++) {
      if (buffer[at + index] !== last[index]) return this.#parse(buffer, at)
    }
    for (let index = zoneAt; index < timeLength; index++) {
      if (buffer[at + index] !== last[index]) return this.#parse(buffer, at)
    }
    return this.#midnightS + clockSeconds(buffer, at + clockAt)
  }

  #readIso(buffer: Uint8Array, at: number): number {
    const text = latin1(buffer, at, at + timeLengthAt(buffer, at))
    if (text === this.#lastIso) return this.#lastIsoS
    const hasZone = text.length > isoLength
    const seconds = parseIso(hasZone ? text : `${text}Z`)
    this.#lastIso = text
    this.#lastIsoS = hasZone || Number.isNaN(seconds) ? seconds : this.#zone.toUtc(seconds)
    return this.#lastIsoS
  }

  #parse(buffer: Uint8Array, at: number): number {
    const seconds = parseTime(latin1(buffer, at, at + timeLength))
    if (!Number.isNaN(seconds)) {
      this.#last.set(buffer.subarray(at, at + timeLength))
      this.#midnightS = seconds - clockSeconds(buffer, at + clockAt)
    }
    return seconds
  }
}

/** Two digits, or NaN. */
function twoDigits(buffer: Uint8Array, at: number): number {
  const tens = (buffer[at] as number) - 0x30
  const ones = (buffer[at + 1] as number) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Seconds since midnight of `21:52:49`; NaN for an invalid time of day. */
function clockSeconds(buffer: Uint8Array, at: number): number {
  if (buffer[at + 2] !== colon || buffer[at + 5] !== colon) return Number.NaN
  const hours = twoDigits(buffer, at)
  const minutes = twoDigits(buffer, at + 3)
  const seconds = twoDigits(buffer, at + 6)
  if (hours > 23 || minutes > 59 || seconds > 60) return Number.NaN
  return (hours * 60 + minutes) * 60 + seconds
}

const shape = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/

/** Unix seconds of `20/Nov/2026:21:52:49 +0000`; NaN for anything else. */
export function parseTime(text: string): number {
  const parts = shape.exec(text)
  if (parts === null) return Number.NaN
  const month = months.indexOf(parts[2] ?? '')
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((index) => Number(parts[index]))
  if (month < 0 || year === undefined || year < 1970) return Number.NaN
  const utc = Date.UTC(year, month, day, hour, minute, second)
  if ((hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 60) return Number.NaN
  // An invalid day rolls over into the next month.
  if (new Date(Date.UTC(year, month, day)).getUTCDate() !== day) return Number.NaN
  const offset = (Number(parts[8]) * 60 + Number(parts[9])) * 60
  return utc / 1000 + (parts[7] === '-' ? offset : -offset)
}

const isoShape = /^(\d{4}-\d\d-(\d\d))[ T](\d\d:\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/

/** Unix seconds of `2026-11-20T21:52:49+00:00`; NaN for anything else. */
function parseIso(text: string): number {
  const parts = isoShape.exec(text)
  if (parts === null) return Number.NaN
  const [, date = '', day, clock = '', zone = ''] = parts
  const midnightMs = Date.parse(`${date}T00:00:00Z`)
  // An invalid day rolls over into the next month.
  if (new Date(midnightMs).getUTCDate() !== Number(day) || midnightMs < 0) return Number.NaN
  return Date.parse(`${date}T${clock}${zone}`) / 1000
}
