const lettersMax = 3

/** Initials of a title's words and numbers: `Counter-Strike 2` is `CS2`. */
export function initialsOf(name: string): string {
  const words = name.replaceAll(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? []
  const [first] = words
  if (first === undefined) return '?'
  if (words.length === 1) return first.slice(0, 2).toLocaleUpperCase()
  return (
    words
      // The last digits of a year or a version say which one it is.
      .map((word) => (/^\p{N}/u.test(word) ? word.slice(-2) : word.slice(0, 1)))
      .join('')
      .slice(0, lettersMax)
      .toLocaleUpperCase()
  )
}
