/** The state of a page as it was read from the address, before any check. */
export type RawSearch = Record<string, unknown>

export const oneOf = <const T>(known: readonly T[], value: unknown): T | undefined =>
  known.find((entry) => entry === value)

/** The value; undefined for the default, which addresses leave out. */
export const unlessDefault = <T>(value: T | undefined, standard: NoInfer<T>): T | undefined =>
  value === standard ? undefined : value

/** A text of limited length as it was typed; undefined when it is blank. */
export function textOf(value: unknown, max: number): string | undefined {
  const text = typeof value === 'string' ? value.slice(0, max) : ''
  return text.trim() === '' ? undefined : text
}

/** The same without blanks around it. */
export const trimmedOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' ? textOf(value.trim(), max) : undefined

export const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/** The number of a page after the first. */
export function pageOf(value: unknown, below: number): number | undefined {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page < below ? page : undefined
}

/** Drops the members without a value, so that addresses stay short and comparable. */
export function compact<T extends object>(value: T): Partial<T> {
  const kept = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(kept) as Partial<T> // the members of the same object
}
