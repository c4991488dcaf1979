import { Type, type Static } from '@sinclair/typebox'
import { Int, LargeInt, Model, Nullable, Ratio, Text, Utc } from '../../core/http/schema.ts'
import { Savings } from '../savings/model.ts'

const bytes = { hitBytes: Int, missBytes: Int, servedBytes: Int }

const Busiest = Model('BusiestTime', {
  startTimeUtc: Utc,
  /** 1; 5 for events of more than two weeks, 60 for those of more than three months. */
  minutes: Int,
  ...bytes,
})

/** An event and its figures. */
export const EventFigures = Model('EventFigures', {
  id: LargeInt,
  name: Text,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  /** As its creator entered them, for events of whole days. */
  startTimeLocal: Text,
  endTimeLocal: Text,
  /** Of the downloads with its tag. */
  totals: Type.Object({
    ...bytes,
    /** 0 to 1. */
    cacheHitRatio: Ratio,
    downloads: Int,
    clients: Int,
    /** Games with a known name. */
    games: Int,
  }),
  /** Of the traffic during the event; null without any. */
  busiest: Nullable(Busiest),
})
export type EventFigures = Static<typeof EventFigures>

const sums = { ...bytes, downloads: Int }

export const ReportDevice = Model('ReportDevice', {
  /** Null for share links that do not name devices. */
  name: Nullable(Text),
  /** Null for share links. */
  address: Nullable(Text),
  ...sums,
})

export const EventReport = Model('EventReport', {
  ...EventFigures.properties,
  colorIndex: Int,
  /** Traffic during the event, from its start to its end or to now, without gaps. */
  bucketMinutes: Int,
  series: Type.Array(Type.Object({ startTimeUtc: Utc, ...bytes })),
  /** Most bytes first, at most 10, as are devices. */
  topGames: Type.Array(
    Type.Object({ service: Text, gameId: Text, gameName: Nullable(Text), ...sums }),
  ),
  topDevices: Type.Array(ReportDevice),
  /** The event that began before this one. */
  previous: Nullable(EventFigures),
  /** With which saved bytes are shown as hours and money. */
  savings: Savings,
  createdAtUtc: Utc,
})
export type EventReport = Static<typeof EventReport>
