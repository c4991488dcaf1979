import { Type, type Static } from '@sinclair/typebox'
import { Int, Model, Nullable, Num, Percent, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const widgetScopes = ['summary', 'badge', 'clients'] as const
export type WidgetScope = (typeof widgetScopes)[number]

export const WidgetClient = Model('WidgetClient', {
  address: Text,
  name: Nullable(Text),
  servedBytes: Int,
  savedBytes: Int,
})
export type WidgetClient = Static<typeof WidgetClient>

/** Flat, for widgets that name one member per field. What is unknown at the moment is null. */
export const WidgetSummary = Model('WidgetSummary', {
  totalServedBytes: Nullable(Int),
  totalSavedBytes: Nullable(Int),
  totalDownloadedBytes: Nullable(Int),
  hitPercent: Nullable(Percent),
  /** Since midnight in the service's zone. */
  todayServedBytes: Nullable(Int),
  todaySavedBytes: Nullable(Int),
  bytesPerSecond: Int,
  /** Without prefill, as on the overview. */
  activeDownloads: Nullable(Int),
  cacheTotalBytes: Nullable(Int),
  cacheUsedBytes: Nullable(Int),
  cacheFreeBytes: Nullable(Int),
  daysUntilFull: Nullable(Num),
  /** Parts of the service that do not work. */
  problems: Int,
  updatedAtUtc: Utc,
  /** For tokens with the scope `clients` alone: those of today with the most bytes. */
  clients: Type.Optional(Type.Array(WidgetClient)),
})
export type WidgetSummary = Static<typeof WidgetSummary>

export const badgeFigures = ['saved', 'today', 'ratio', 'speed', 'free'] as const
export type BadgeFigure = (typeof badgeFigures)[number]

export const TotalStats = Model('WidgetTotals', {
  totalCacheHitBytes: Int,
  totalCacheMissBytes: Int,
})

const scopes = Type.Array(stringUnion(widgetScopes), { minItems: 1, maxItems: 3 })

export const TokenBody = Model('WidgetTokenBody', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scopes,
})

export const TokenView = Model('WidgetToken', {
  id: Text,
  name: Text,
  scopes,
  createdAtUtc: Utc,
  lastUsedAtUtc: Nullable(Utc),
})
export type TokenView = Static<typeof TokenView>

export const TokenList = Type.Object({ items: Type.Array(TokenView) })
/** The token itself is only in this answer. */
export const CreatedToken = Model('CreatedWidgetToken', { token: Text, ...TokenView.properties })
