import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { BytesTotals, SeriesPoint } from '../reports/series.ts'

const figures = BytesTotals.properties

export const ClientShare = Model('ClientShare', {
  clientIp: Text,
  /** Nickname of its group, else its host name if the reader may see it. */
  displayName: Nullable(Text),
  groupId: Nullable(Int),
  ...figures,
  lastSeenUtc: Utc,
})
export type ClientShare = Static<typeof ClientShare>

export const GameShare = Model('GameShare', {
  /** As lists show it: one name for all names of a service in the log. */
  service: Text,
  /**
   * `app-<id>`, `beta-<id>`, `name-<name>` or `unknown`: identifies the game in paths and filters.
   */
  gameId: Text,
  gameName: Nullable(Text),
  gameAppId: Nullable(Int),
  gameImageUrl: Nullable(Text),
  ...figures,
  lastSeenUtc: Utc,
})
export type GameShare = Static<typeof GameShare>

export const DepotShare = Model('DepotShare', {
  titleKey: Text,
  depotId: Nullable(Int),
  name: Nullable(Text),
  ...figures,
  firstSeenUtc: Utc,
  lastSeenUtc: Utc,
})

/** Bytes over time. Buckets are UTC, from the first to the last traffic, without gaps. */
export const Series = Model('GameSeries', { bucketMinutes: Int, series: Type.Array(SeriesPoint) })
export type Series = Static<typeof Series>

export const GameReport = Model('GameReport', {
  service: Text,
  gameId: Text,
  gameName: Nullable(Text),
  gameAppId: Nullable(Int),
  betaAppId: Nullable(Text),
  gameImageUrl: Nullable(Text),
  /** Value for the `Game` filter of downloads. */
  filter: Text,
  totals: BytesTotals,
  /** Downloads whose files are no longer in the cache. */
  evictedDownloads: Int,
  averageBytesPerSecond: Num,
  firstSeenUtc: Utc,
  lastSeenUtc: Utc,
  clients: Int,
  /** Most bytes first, at most 100. */
  depots: Type.Array(DepotShare),
  /** Most bytes first, at most 10. */
  topClients: Type.Array(ClientShare),
})
export type GameReport = Static<typeof GameReport>

/** Bytes over a range. */
export const Traffic = Model('Traffic', {
  startTimeUtc: Nullable(Utc),
  endTimeUtc: Nullable(Utc),
  totals: BytesTotals,
  ...Series.properties,
})
export type Traffic = Static<typeof Traffic>

export const GameTraffic = Model('GameTraffic', {
  service: Text,
  gameId: Text,
  ...Traffic.properties,
})
export type GameTraffic = Static<typeof GameTraffic>

export const HourOfDay = Type.Object({
  hour: Int,
  downloads: Int,
  hitBytes: Int,
  missBytes: Int,
  servedBytes: Int,
})

/** Bytes of one client over a range, also by hour of the day in the service's time zone. */
export const ClientTraffic = Model('ClientTraffic', {
  ...Traffic.properties,
  /** 24. */
  hoursOfDay: Type.Array(HourOfDay),
  timeZone: Text,
})
export type ClientTraffic = Static<typeof ClientTraffic>

export const ClientReport = Model('ClientReport', {
  clientIp: Text,
  displayName: Nullable(Text),
  hostname: Nullable(Text),
  group: Nullable(Type.Object({ id: Int, nickname: Text })),
  /** True when excluded from sums over all clients; this report includes it anyway. */
  isExcluded: Flag,
  totals: BytesTotals,
  averageBytesPerSecond: Num,
  firstSeenUtc: Utc,
  lastSeenUtc: Utc,
  games: Int,
  /** 24, in the service's time zone. */
  hoursOfDay: Type.Array(HourOfDay),
  timeZone: Text,
  /** Most bytes first, at most 10. */
  topGames: Type.Array(GameShare),
  /** The last 30 days. */
  recent: Series,
})
export type ClientReport = Static<typeof ClientReport>

export const ServiceReport = Model('ServiceReport', {
  service: Text,
  /** Its names in the log. */
  names: Type.Array(Text),
  totals: BytesTotals,
  averageBytesPerSecond: Num,
  firstSeenUtc: Utc,
  lastSeenUtc: Utc,
  clients: Int,
  games: Int,
  topGames: Type.Array(GameShare),
  topClients: Type.Array(ClientShare),
  recent: Series,
})
export type ServiceReport = Static<typeof ServiceReport>

/** Sums over all downloads of a view, and its largest clients, games and depots. */
export const DownloadsSummary = Model('DownloadsSummary', {
  totals: BytesTotals,
  clients: Int,
  /** Named ones. */
  games: Int,
  depots: Int,
  /** Most bytes first, at most 10, as are the next two. */
  topClients: Type.Array(ClientShare),
  topGames: Type.Array(Type.Omit(GameShare, ['gameAppId', 'gameImageUrl'], { title: 'GameSums' })),
  topDepots: Type.Array(
    Type.Omit(DepotShare, ['firstSeenUtc', 'lastSeenUtc'], { title: 'DepotSums' }),
  ),
})
export type DownloadsSummary = Static<typeof DownloadsSummary>
