import { Type } from '@sinclair/typebox'
import { Bytes, Int, Model, Nullable, Utc } from '../../core/http/schema.ts'

/** Whole months before the present one. */
export const KeepMonths = Type.Integer({ minimum: 1, maximum: 1200 })

export const HistoryRetention = Model('HistoryRetention', {
  /** Null: everything is kept. */
  keepMonths: Nullable(KeepMonths),
  /** Older downloads and five-minute figures are no longer kept; null: all are. */
  keptSince: Nullable(Utc),
})

/** What a run would delete now; `until` is null while everything is kept. */
export const HistoryRetentionPreview = Model('HistoryRetentionPreview', {
  until: Nullable(Utc),
  downloads: Int,
  partitions: Int,
  bytes: Bytes,
})

export const HistoryRetentionBody = Model('HistoryRetentionBody', {
  /** Null: as `History__KeepMonths` says. */
  keepMonths: Nullable(KeepMonths),
})
