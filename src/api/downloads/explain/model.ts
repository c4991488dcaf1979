import { Type, type Static } from '@sinclair/typebox'
import { Int, Nullable, Num, Text, Utc } from '../../../http/schema.ts'
import { words } from '../reports/words.ts'
import { numberNames, ranges, units } from './catalogue.ts'

/** Why downloads are not in a figure. */
export const reasons = ['prefill', 'hiddenClients', 'excludedClients', 'outsideRange'] as const

export const ExampleRow = Type.Object({
  downloadId: Nullable(Int),
  clientIp: Nullable(Text),
  service: Nullable(Text),
  gameName: Nullable(Text),
  /** Start of a download, latest activity of a sum. */
  atUtc: Nullable(Utc),
  hitBytes: Int,
  missBytes: Int,
  servedBytes: Int,
})
export type ExampleRow = Static<typeof ExampleRow>

export const Explanation = Type.Object({
  number: words(numberNames),
  value: Nullable(Type.Union([Num, Text])),
  unit: words(units),
  formula: Text,
  source: Text,
  /** What the figure is over; without an end on a side there is none. */
  range: Type.Object({
    /** `asked`: the range or event of the question; `allTime`, `now`: whatever was asked. */
    kind: words(ranges),
    startTimeUtc: Nullable(Utc),
    endTimeUtc: Nullable(Utc),
    eventId: Nullable(Int),
  }),
  /** Downloads that are not in it, by the first reason that applies. */
  excluded: Type.Array(Type.Object({ reason: words(reasons), count: Int })),
  /** Newest or largest first, at most 20. */
  rows: Type.Array(ExampleRow),
})
export type Explanation = Static<typeof Explanation>
