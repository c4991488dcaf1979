/** Longer names are not compared: they are no typing mistake. */
const comparedCharsMax = 64
const shownNamesMax = 20

/** Edits that turn one text into the other (Levenshtein). */
function distance(a: string, b: string): number {
  const [lefts, rights] = [a.split(''), b.split('')]
  let row = Array.from({ length: rights.length + 1 }, (_, index) => index)
  for (const [i, left] of lefts.entries()) {
    const next = [i + 1]
    for (const [j, right] of rights.entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** `did you mean "x"?` when one name is similar, else the list of names. */
export function nearestName(sent: string, names: readonly string[]): string {
  const text = sent.slice(0, comparedCharsMax).toLowerCase()
  const ranked = names
    .map((name) => ({ name, edits: distance(text, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const [best] = ranked
  if (best === undefined) return 'no member is'
  if (best.edits <= Math.max(2, best.name.length / 3)) return `did you mean "${best.name}"?`
  return `known are ${names.slice(0, shownNamesMax).join(', ')}`
}
