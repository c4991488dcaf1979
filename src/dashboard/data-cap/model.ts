import { Type, type Static } from '@sinclair/typebox'
import { Flag, LargeInt, Model, Nullable, Utc } from '../../core/lib/schema.ts'

/** The volume of the line to the internet, as its contract has it. */
export const DataCap = Model('DataCap', {
  capBytes: Nullable(
    Type.Integer({ minimum: 1_000_000_000, maximum: 1e15 }),
    'Bytes in a month; null: unlimited',
  ),
  firstDay: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'Day on which a month begins; the last one of shorter months',
  }),
  pausePercent: Nullable(
    Type.Integer({ minimum: 1, maximum: 100 }),
    'Share of the volume at which prefill pauses; null: never',
  ),
})
export type DataCap = Static<typeof DataCap>

export const noDataCap: DataCap = { capBytes: null, firstDay: 1, pausePercent: null }

export const DataCapState = Model('DataCapState', {
  ...DataCap.properties,
  use: Nullable(
    Type.Object({
      fromUtc: Utc,
      untilUtc: Utc,
      usedBytes: LargeInt,
      expectedBytes: Nullable(
        LargeInt,
        'By the end, if it goes on like this; null on the first day',
      ),
      isReached: Flag,
    }),
  ),
})
export type DataCapState = Static<typeof DataCapState>
