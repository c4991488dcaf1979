interface Searchable {
  label: string
  note?: string
  /** Other names for the same, which are searched but not shown. */
  words?: string
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

function rank(candidate: Searchable, words: readonly string[]): number {
  const label = plain(candidate.label)
  const all = `${label} ${plain(`${candidate.note ?? ''} ${candidate.words ?? ''}`)}`
  if (!words.every((word) => all.includes(word))) return 0
  const first = words[0] ?? ''
  if (label.startsWith(first)) return 3
  return label.split(/[\s.:-]+/).some((part) => part.startsWith(first)) ? 2 : 1
}

/** Candidates that contain every typed word, best prefix match first, else in their own order. */
export function matching<T extends Searchable>(candidates: readonly T[], wanted: string): T[] {
  const words = plain(wanted).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...candidates]
  return candidates
    .map((candidate) => ({ candidate, rank: rank(candidate, words) }))
    .filter((entry) => entry.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map((entry) => entry.candidate)
}
