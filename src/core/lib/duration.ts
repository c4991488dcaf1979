/** Hours of a year; a longer interval is a typing mistake. */
export const intervalHoursMax = 8760

const pattern = /^(?:(\d{1,4})\.)?(\d{1,2}):([0-5]\d):([0-5]\d)(?:\.(\d{1,7}))?$/

/** Milliseconds of a duration as `[d.]hh:mm:ss[.fffffff]`; null for another form. */
export function durationMs(text: string): number | null {
  const found = pattern.exec(text.trim())
  if (found === null) return null
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = '0'] = found
  if (Number(hours) > 23) return null
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return whole * 1000 + Number(`0.${fraction}`) * 1000
}
