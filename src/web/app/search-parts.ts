/** A page's state from the URL, not yet validated. */
export type RawSearch = Record<string, unknown>

export const oneOf = <const T>(known: readonly T[], value: unknown): T | undefined =>
  known.find((entry) => entry === value)

/** The value; undefined for the default, which URLs leave out. */
export const unlessDefault = <T>(value: T | undefined, standard: NoInfer<T>): T | undefined =>
  value === standard ? undefined : value

/** A text of limited length as typed; undefined when blank. */
export function textOf(value: unknown, max: number): string | undefined {
  const text = typeof value === 'string' ? value.slice(0, max) : ''
  return text.trim() === '' ? undefined : text
}

/** The same, trimmed. */
export const trimmedOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' ? textOf(value.trim(), max) : undefined

export const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/** A page number above the first. */
export function pageOf(value: unknown, below: number): number | undefined {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page < below ? page : undefined
}

/** Drops undefined members, so that URLs stay short and comparable. */
export function compact<T extends object>(value: T): Partial<T> {
  const kept = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(kept) as Partial<T> // a subset of the same object's members
}
