import { formatter, isSame, momentText } from './times.ts'

const nearMs = 6 * 86_400_000

/** A coming moment: within six days the day of the week and the time, `Friday 18:00`. */
export function dueText(at: Date, now: Date): string {
  const leftMs = at.getTime() - now.getTime()
  const isNear = leftMs > 0 && leftMs < nearMs
  if (!isNear || isSame({ dateStyle: 'short' }, at, now)) return momentText(at, now)
  return formatter({ weekday: 'long', hour: '2-digit', minute: '2-digit' }).format(at)
}
