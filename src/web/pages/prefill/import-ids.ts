/** Ids read from one paste. */
export const importMax = 20_000

/** Ids in a pasted text: separated by commas, spaces or lines, or a JSON array; each once. */
export function pastedIds(text: string): string[] {
  const found = text.match(/[\w.-]+/g) ?? []
  return [...new Set(found)].slice(0, importMax)
}

export interface Imported {
  added: string[]
  already: string[]
  /** Not in the library. */
  unknown: string[]
}

/** Sorts pasted ids by what becomes of them. */
export function sortIds(
  ids: readonly string[],
  { owned, selected }: { owned: ReadonlySet<string>; selected: ReadonlySet<string> },
): Imported {
  const known = ids.filter((id) => owned.has(id))
  return {
    added: known.filter((id) => !selected.has(id)),
    already: known.filter((id) => selected.has(id)),
    unknown: ids.filter((id) => !owned.has(id)),
  }
}
