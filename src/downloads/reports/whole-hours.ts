/** A zone's UTC offset at one moment, in seconds. */
function offsetSeconds(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round(shown / 60_000 - Math.floor(at.getTime() / 60_000)) * 60
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
