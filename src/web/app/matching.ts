interface Searchable {
  label: string
  note?: string
  /** Other names for the same, separated by commas, which are searched but not shown. */
  words?: string
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

const separators = /[\s.,:/-]+/
const startsAWord = (text: string, word: string): boolean =>
  text.split(separators).some((part) => part.startsWith(word))

/** How well a word fits; 0: not at all. */
function wordRank(label: string, others: string, word: string): number {
  if (label.startsWith(word)) return 5
  if (startsAWord(label, word)) return 4
  if (startsAWord(others, word)) return 3
  return label.includes(word) ? 2 : others.includes(word) ? 1 : 0
}

/** An own name or a synonym as a whole comes first, else the word that fits worst decides. */
function rank(candidate: Searchable, words: readonly string[]): number {
  const label = plain(candidate.label)
  const others = plain(`${candidate.note ?? ''}, ${candidate.words ?? ''}`)
  const worst = Math.min(...words.map((word) => wordRank(label, others, word)))
  const whole = words.join(' ')
  if (worst === 0 || label === whole) return worst && 7
  return others.split(/\s*,\s*/).includes(whole) ? Math.max(worst, 4.5) : worst
}

/** Candidates that contain every typed word, best first, else in their own order. */
export function matching<T extends Searchable>(candidates: readonly T[], wanted: string): T[] {
  const words = plain(wanted).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...candidates]
  return candidates
    .map((candidate) => ({ candidate, rank: rank(candidate, words) }))
    .filter((entry) => entry.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map((entry) => entry.candidate)
}
