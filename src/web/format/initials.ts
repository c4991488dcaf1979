const charsMax = 3
const roman = ['II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']

const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => {
    const number = roman.indexOf(word)
    return number === -1 ? word : String(number + 2)
  })

const isNumber = (word: string) => /^\p{N}/u.test(word)

/** First letters, and the last digits of the number that says which part, year or version it is. */
function shortened([first = '', ...others]: readonly string[]): string {
  const number = others.findLast(isNumber)?.slice(-2) ?? ''
  const letters = [first, ...others.filter((word) => !isNumber(word))].map((word) =>
    isNumber(word) ? word.slice(-2) : word.slice(0, 1),
  )
  return letters.join('').slice(0, charsMax - number.length) + number
}

/**
 * Initials of a title: `Counter-Strike 2` is `CS2`. Titles of a series differ after its colon, so
 * `Call of Duty: Modern Warfare III` is `MW3`.
 */
export function initialsOf(name: string): string {
  const [title = '', subtitle = ''] = name.replaceAll(/['’]/g, '').split(/:| [-–—] /)
  const words = wordsOf(title)
  const own = wordsOf(subtitle)
  const [first = '?'] = words
  const [single = ''] = own
  const initials =
    own.length > 0 && !words.some(isNumber)
      ? own.length === 1
        ? first.slice(0, 1) + single.slice(0, 2)
        : own.length > 2 || own.some(isNumber)
          ? shortened(own)
          : first.slice(0, 1) + shortened(own)
      : words.length === 1
        ? first.slice(0, 2)
        : shortened(words)
  return (initials || '?').toLocaleUpperCase()
}
