interface Drawing {
  /** Hue in degrees. */
  angle: number
  turn: number
  letters: string
  shapes: { kind: 'circle' | 'band'; x: number; y: number; size: number }[]
}

const lettersMax = 3
/** FNV-1a, 32 bits: a small hash that separates similar names well. */
const offset = 0x811c9dc5
const prime = 0x01000193

const hashOf = (name: string): number =>
  new TextEncoder().encode(name).reduce((hash, byte) => Math.imul(hash ^ byte, prime) >>> 0, offset)

/** Initials of a title's words and numbers: `Counter-Strike 2` is `CS2`. */
export function lettersOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const [first] = words
  if (first === undefined) return '?'
  if (words.length === 1) return first.slice(0, 2).toLocaleUpperCase()
  return words
    .map((word) => (/^\p{N}/u.test(word) ? word : word.slice(0, 1)))
    .join('')
    .slice(0, lettersMax)
    .toLocaleUpperCase()
}

/** Deterministic: the same name always gives the same drawing. */
export function drawingOf(name: string): Drawing {
  let state = hashOf(name.toLowerCase())
  // A linear congruential generator: good enough for shapes.
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const kind = next(2) === 0 ? 'circle' : 'band'
  return {
    angle: next(360),
    turn: next(60) - 30,
    letters: lettersOf(name),
    shapes: Array.from({ length: 2 + next(3) }, () => ({
      kind,
      x: next(100),
      y: next(100),
      size: kind === 'circle' ? 14 + next(36) : 6 + next(22),
    })),
  }
}
