import { Type, type Static } from '@sinclair/typebox'
import { Model, Nullable } from '../../core/lib/schema.ts'

/** What saved bytes would have cost; null: not set, and nothing is shown for it. */
export const Savings = Model('Savings', {
  /** Speed of the line to the internet, in Mbit/s. */
  lineMbitPerSecond: Nullable(Type.Number({ minimum: 0.1, maximum: 1_000_000 })),
  /** Price of a gigabyte (10⁹ bytes) in the currency. */
  pricePerGb: Nullable(Type.Number({ minimum: 0.0001, maximum: 10_000 })),
  /** ISO 4217. */
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
})
export type Savings = Static<typeof Savings>
