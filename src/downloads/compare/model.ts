import { Type, type Static } from '@sinclair/typebox'
import { Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { BytesTotals } from '../reports/series.ts'

export const ComparedEvent = Model('ComparedEvent', {
  id: Int,
  name: Text,
  colorIndex: Int,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  durationSeconds: Int,
  /** Of all downloads with its tag. */
  totals: Type.Object({
    ...BytesTotals.properties,
    clients: Int,
    /** Games with a known name. */
    games: Int,
  }),
  /** Most bytes first, at most 5. */
  topGames: Type.Array(Type.Object({ gameName: Nullable(Text), service: Text, bytes: Int })),
  /**
   * From the start of the event to its end, or to now while it is running; downloads are placed at
   * their start. Tagged downloads that began outside the event count in the totals only.
   */
  series: Type.Array(
    Type.Object({ elapsedSeconds: Int, hitBytes: Int, missBytes: Int, servedBytes: Int }),
  ),
})
export type ComparedEvent = Static<typeof ComparedEvent>

export const EventComparison = Type.Object({
  bucketMinutes: Int,
  events: Type.Array(ComparedEvent),
})
export type EventComparison = Static<typeof EventComparison>
