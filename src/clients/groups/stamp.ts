/** Microseconds since 1970. Below 2^53 until the year 2255. */
export type Stamp = number

const pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/i

/** ISO-8601 UTC with six digits of a second. */
export function stampText(stamp: Stamp): string {
  const seconds = new Date(Math.floor(stamp / 1000)).toISOString().slice(0, 19)
  return `${seconds}.${String(stamp % 1_000_000).padStart(6, '0')}Z`
}

/**
 * The timestamp of a text; UTC without an offset. Null when it is none. Stamps have microseconds,
 * so a finer one cannot be ours: it gets half a microsecond and matches none.
 */
export function stampOf(text: string): Stamp | null {
  const [, seconds, fraction = '', offset = 'Z'] = pattern.exec(text.trim()) ?? []
  if (seconds === undefined) return null
  const ms = Date.parse(`${seconds}${offset.toUpperCase()}`)
  if (Number.isNaN(ms)) return null
  const rest = Number(fraction.slice(6).padEnd(1, '0')) > 0 ? 0.5 : 0
  return ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0')) + rest
}

/** A stamp never used before: at least a microsecond after the last one. */
export const nextStamp = (now: Date, last: Stamp): Stamp => Math.max(now.getTime() * 1000, last + 1)
