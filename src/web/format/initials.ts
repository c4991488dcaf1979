const charsMax = 3
const roman = ['II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']
const isNumber = (word: string) => /^\p{N}/u.test(word)

const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    roman.includes(word) ? String(roman.indexOf(word) + 2) : word,
  )

/** First letters, and the last digits of the number that says which part, year or version it is. */
function shortened([first = '?', ...others]: readonly string[]): string {
  const number = others.findLast(isNumber)?.slice(-2) ?? ''
  const letters = others.filter((word) => !isNumber(word)).map(([letter]) => letter)
  const start = isNumber(first) ? first.slice(-2) : first.slice(0, 1)
  return (start + letters.join('')).slice(0, charsMax - number.length) + number
}

/**
 * Initials of a title: `Counter-Strike 2` is `CS2`. Titles of a series differ after its colon, so
 * `Call of Duty: Modern Warfare III` is `MW3`.
 */
export function initialsOf(name: string): string {
  const [series = [], part = []] = name
    .replaceAll(/['’]/g, '')
    .split(/:| [-–—] /)
    .map(wordsOf)
  const hasPart = part.length > 0 && !series.some(isNumber)
  const isClear = part.length > 2 || part.some(isNumber)
  const words = hasPart && isClear ? part : hasPart ? [...series.slice(0, 1), ...part] : series
  const [first = '?', last = ''] = words
  const initials = words.length === 1 ? first.slice(0, 2) : shortened(words)
  return (
    hasPart && part.length === 1 ? first.slice(0, 1) + last.slice(0, 2) : initials
  ).toLocaleUpperCase()
}
