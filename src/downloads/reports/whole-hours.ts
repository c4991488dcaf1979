import { hourBlockSeconds } from './range.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  formats.set(timeZone, made)
  return made
}

/** A zone's UTC offset at one moment, in seconds. */
function offsetSeconds(timeZone: string, at: Date): number {
  const parts = formatOf(timeZone).formatToParts(at)
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round(shown / 60_000 - Math.floor(at.getTime() / 60_000)) * 60
}

/** Offsets at the starts of blocks since 1970, by zone: they never change. */
const knownOffsets = new Map<string, number[]>()

/**
 * Starts of the blocks of 8 days since 1970, up to the one of `until`, in which the zone's offset changes.
 * No zone has changed its offset for less than that.
 */
export function changedBlocks(timeZone: string, until: number): number[] {
  const offsets = knownOffsets.get(timeZone) ?? []
  knownOffsets.set(timeZone, offsets)
  for (
    let at = offsets.length * hourBlockSeconds;
    at <= until + hourBlockSeconds;
    at += hourBlockSeconds
  )
    offsets.push(offsetSeconds(timeZone, new Date(at * 1000)))
  return offsets.flatMap((offset, index) =>
    index > 0 && offset !== offsets[index - 1] ? [(index - 1) * hourBlockSeconds] : [],
  )
}

/**
 * True when the zone's hours align with UTC's, in winter and summer of this year. In other zones
 * (India, Nepal, South Australia) hour rows would straddle two local hours.
 */
export function hasWholeHours(timeZone: string, now: Date): boolean {
  const year = now.getUTCFullYear()
  const moments = [new Date(Date.UTC(year, 0, 15)), new Date(Date.UTC(year, 6, 15))]
  return moments.every((at) => offsetSeconds(timeZone, at) % 3600 === 0)
}
