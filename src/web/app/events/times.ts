import { durationText, periodText } from '../../format/times.ts'
import type { Span } from './month.ts'

export const spanText = ({ startTimeUtc, endTimeUtc }: Span, now: Date): string =>
  periodText(new Date(startTimeUtc), new Date(endTimeUtc), now)

export const lengthText = ({ startTimeUtc, endTimeUtc }: Span): string =>
  durationText((new Date(endTimeUtc).getTime() - new Date(startTimeUtc).getTime()) / 1000)
