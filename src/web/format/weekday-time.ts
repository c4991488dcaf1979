import { formatter } from './times.ts'

/** A time of a few days, `Sat 20:00`. */
export const weekdayTimeText = (at: Date): string =>
  formatter({ weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(at)
