import { Type, type Static, type TObject } from '@sinclair/typebox'
import {
  Flag,
  Int,
  Model,
  Nullable,
  Num,
  Percent,
  QueryFlag,
  QueryInt,
  RowId,
  Text,
  UnixSeconds,
  Utc,
} from '../../core/http/schema.ts'

export const Download = Model('Download', {
  id: Int,
  service: Text,
  clientIp: Text,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
  isActive: Flag,
  isEvicted: Flag,
  isPrefill: Flag,
  gameAppId: Nullable(Int),
  gameName: Nullable(Text),
  gameImageUrl: Nullable(Text),
  lastUrl: Nullable(Text),
  depotId: Nullable(Int),
  betaAppId: Nullable(Text),
  epsilonProductId: Nullable(Text),
  datasource: Text,
  /** What a name given by hand belongs to; null for services without titles. */
  titleKey: Nullable(Text),
  durationSeconds: Num,
  totalBytes: Int,
  cacheHitPercent: Percent,
  averageBytesPerSecond: Num,
})
export type Download = Static<typeof Download>

export const DownloadEventAssociation = Model('DownloadEventAssociation', {
  id: Int,
  name: Text,
  colorIndex: Int,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  autoTagged: Flag,
  taggedAtUtc: Utc,
})
export type DownloadEventAssociation = Static<typeof DownloadEventAssociation>

export const EventTag = Model('EventTag', {
  id: Int,
  name: Text,
  colorIndex: Int,
  autoTagged: Flag,
})
export type EventTag = Static<typeof EventTag>

export const DownloadWithEvents = Type.Object({
  download: Download,
  events: Type.Array(DownloadEventAssociation),
})

const BestSpeed = Type.Object({
  bytesPerSecond: Num,
  /** The newest ones, which it is the fastest of. */
  downloads: Int,
})

/** A download's mean speed, and the best of its client and of all. */
export const DownloadSpeeds = Model('DownloadSpeeds', {
  bytesPerSecond: Num,
  client: BestSpeed,
  cache: BestSpeed,
})
export type DownloadSpeeds = Static<typeof DownloadSpeeds>

export const DownloadWithTags = Type.Object({ download: Download, events: Type.Array(EventTag) })

const Word = Type.Optional(Type.String({ maxLength: 200 }))

/** Filters and order of downloads, in the view and its export. */
export const retroFilters = {
  Sort: Word,
  Service: Word,
  /** `<service>:<key>`, or the id of a game's row. */
  Game: Word,
  Client: Word,
  Search: Word,
  HideLocalhost: QueryFlag,
  ShowZeroBytes: QueryFlag,
  HideUnknown: QueryFlag,
  GroupByGame: QueryFlag,
  GroupByService: QueryFlag,
  StartTime: UnixSeconds,
  EndTime: UnixSeconds,
  EventId: Type.Optional(RowId),
  HitMiss: Word,
  includePrefill: QueryFlag,
}

export const retroParameters = {
  ...retroFilters,
  /** `false` leaves out clients that are listed but not counted: rows then add up to the sums. */
  includeExcluded: QueryFlag,
  Page: QueryInt,
  PageSize: QueryInt,
}
export type RetroParameters = Static<TObject<typeof retroParameters>>

export const RetroDownloadDto = Model('RetroDownloadDto', {
  id: Text,
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  depotId: Nullable(Int),
  appName: Text,
  alphaAppId: Nullable(Int),
  betaAppId: Nullable(Text),
  service: Text,
  datasource: Text,
  clientIp: Text,
  averageBytesPerSecond: Num,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
  cacheHitPercent: Percent,
  totalBytes: Int,
  /** Number of downloads in this row. */
  requestCount: Int,
  /** The newest ones; fewer than `requestCount` when there are very many. */
  downloadIds: Type.Array(Int),
  clientIps: Type.Array(Text),
  depotIds: Type.Array(Int),
  /** One of them is still running. */
  isActive: Flag,
  /** What a name given by hand belongs to; null for rows of none or several. */
  titleKey: Nullable(Text),
  isEvicted: Flag,
  isPartiallyEvicted: Flag,
})
export type RetroDownloadDto = Static<typeof RetroDownloadDto>

export const RetroPage = Type.Object({
  items: Type.Array(RetroDownloadDto),
  totalItems: Int,
  totalPages: Int,
  currentPage: Int,
  pageSize: Int,
})
export type RetroPage = Static<typeof RetroPage>
