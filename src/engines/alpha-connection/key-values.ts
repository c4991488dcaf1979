/** Steam's key-values as the library reads them: every value is an object or a text. */
export type Tree = Record<string, unknown>

const idMax = 4_294_967_295

/** The members of a value; none if it is a text or missing. */
export const tree = (value: unknown): Tree =>
  typeof value === 'object' && value !== null ? (value as Tree) : {}

/** The id of an app, depot or package; 0: it is none. */
export function idOf(value: unknown): number {
  const id = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : 0
  return id <= idMax ? id : 0
}

/** A text; empty if the value is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Names in a list that is a text with commas. */
export const listOf = (value: unknown): string[] =>
  textOf(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Ids in a list that is a text with commas. */
export const idsOf = (value: unknown): number[] =>
  listOf(value)
    .map(idOf)
    .filter((id) => id > 0)
