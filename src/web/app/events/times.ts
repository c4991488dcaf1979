import { dayText, momentText, clockText, durationText } from '../../format/times.ts'
import { dayKey, type Span } from './month.ts'

/** A period in its shortest form. */
export function spanText({ startTimeUtc, endTimeUtc }: Span, now: Date): string {
  const [start, end] = [new Date(startTimeUtc), new Date(endTimeUtc)]
  if (dayKey(start) === dayKey(end)) return `${momentText(start, now)} – ${clockText(end)}`
  const isShort =
    start.getFullYear() === now.getFullYear() && start.getFullYear() === end.getFullYear()
  return isShort
    ? `${dayText(start)}, ${clockText(start)} – ${dayText(end)}, ${clockText(end)}`
    : `${momentText(start, now)} – ${momentText(end, now)}`
}

export const lengthText = ({ startTimeUtc, endTimeUtc }: Span): string =>
  durationText((new Date(endTimeUtc).getTime() - new Date(startTimeUtc).getTime()) / 1000)
