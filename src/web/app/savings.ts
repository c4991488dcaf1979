import type { Savings } from '../../dashboard/savings/model.ts'

/** What bytes would have cost on the line to the internet; null where that is not set. */
export function savedWith(
  bytes: number,
  { lineMbitPerSecond, pricePerGb }: Pick<Savings, 'lineMbitPerSecond' | 'pricePerGb'>,
): { seconds: number | null; money: number | null } {
  return {
    seconds: lineMbitPerSecond === null ? null : (bytes * 8) / (lineMbitPerSecond * 1e6),
    money: pricePerGb === null ? null : (bytes / 1e9) * pricePerGb,
  }
}
