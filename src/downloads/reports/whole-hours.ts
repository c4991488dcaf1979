/** Seconds from UTC in a zone at one moment. */
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
 * True when hours of the zone are whole hours of UTC, in winter and in summer of this year. For
 * other zones (India, Nepal, South Australia) hour rows would be split between two hours.
 */
export function hasWholeHours(timeZone: string, now: Date): boolean {
  const year = now.getUTCFullYear()
  const moments = [new Date(Date.UTC(year, 0, 15)), new Date(Date.UTC(year, 6, 15))]
  return moments.every((at) => offsetSeconds(timeZone, at) % 3600 === 0)
}
