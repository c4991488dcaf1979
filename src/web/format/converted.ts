import { formatter, type Amount } from './numbers.ts'

/** A figure with the unit that `Intl` writes. */
function measured(value: number, options: Intl.NumberFormatOptions): Amount {
  const parts = formatter(options).formatToParts(value)
  const textOf = (isUnit: boolean) =>
    parts
      .filter(({ type }) => type !== 'literal' && /^(unit|currency)$/.test(type) === isUnit)
      .map((part) => part.value)
      .join('')
  return { value: textOf(false), unit: textOf(true) }
}

/** A length of time in minutes, hours, or from a hundred hours on in days. */
export function timeAmount(seconds: number): Amount {
  const [unit, length] =
    seconds < 3600 ? ['minute', 60] : seconds < 360_000 ? ['hour', 3600] : ['day', 86_400]
  const value = seconds / length
  const maximumFractionDigits = value < 9.95 ? 1 : 0
  return measured(value, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits })
}

/** Money with the code of its currency; cents only where they matter. */
export const moneyAmount = (money: number, currency: string): Amount =>
  measured(money, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    ...(money >= 9.995 && { minimumFractionDigits: 0, maximumFractionDigits: 0 }),
  })
