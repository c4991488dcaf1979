const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Length of `20/Nov/2026:21:52:49 +0000`. */
export const timeLength = 26

const slash = 0x2f
const colon = 0x3a

/** Does a time in the log's form start here? Looks at the separators only. */
export const looksLikeTime = (buffer: Uint8Array, at: number): boolean =>
  buffer[at + 2] === slash &&
  buffer[at + 6] === slash &&
  buffer[at + 11] === colon &&
  buffer[at + 14] === colon

/** Reads log times. Lines come in order, so nearly every one equals the one before. */
export class TimeReader {
  readonly #last = new Uint8Array(timeLength)
  #lastSeconds = Number.NaN

  /** Unix seconds, or NaN when the bytes are no valid time. */
  read(buffer: Uint8Array, at: number): number {
    // From the end: the seconds differ most often.
    for (let index = timeLength - 1; index >= 0; index--) {
      if (buffer[at + index] !== this.#last[index]) return this.#parse(buffer, at)
    }
    return this.#lastSeconds
  }

  #parse(buffer: Uint8Array, at: number): number {
    const text = String.fromCharCode(...buffer.subarray(at, at + timeLength))
    const seconds = parseTime(text)
    if (!Number.isNaN(seconds)) {
      this.#last.set(buffer.subarray(at, at + timeLength))
      this.#lastSeconds = seconds
    }
    return seconds
  }
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
  // A day that does not exist rolls over into the next month.
  if (new Date(utc).getUTCDate() !== day || (hour ?? 0) > 23) return Number.NaN
  const offset = (Number(parts[8]) * 60 + Number(parts[9])) * 60
  return utc / 1000 + (parts[7] === '-' ? offset : -offset)
}
