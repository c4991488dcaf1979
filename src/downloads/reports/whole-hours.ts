import { hourBlockSeconds } from './range.ts'

/** Seconds by which a zone's clocks are ahead of UTC at a moment (Unix seconds). */
const zoneOffset = (timeZone: string, utcS: number): number =>
  Temporal.Instant.fromEpochMilliseconds(utcS * 1000).toZonedDateTimeISO(timeZone)
    .offsetNanoseconds / 1e9

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
    offsets.push(zoneOffset(timeZone, at))
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
  const moments = [Date.UTC(year, 0, 15), Date.UTC(year, 6, 15)]
  return moments.every((atMs) => zoneOffset(timeZone, atMs / 1000) % 3600 === 0)
}
