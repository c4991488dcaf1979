/** Random numbers reproducible from a seed, so that the demo's output can be counted in advance. */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** Integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number
  pick<T>(list: readonly T[]): T
}

/** The 32-bit generator "mulberry32": fast, small, good enough for test data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick: (list) => {
      const item = list[between(0, list.length - 1)]
      if (item === undefined) throw new Error('cannot pick from an empty list')
      return item
    },
  }
}

const words = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1]

function hexWord(a: number, b: number, salt: number): string {
  let mixed = Math.imul(a ^ salt, 0x2c1b3c6d) ^ Math.imul(b + salt, 0x297a2d39)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed ^= mixed >>> 13
  return (mixed >>> 0).toString(16).padStart(8, '0')
}

/** 40 hexadecimal digits derived from a title and the index of an object; deterministic. */
export function chunkName(title: number, chunk: number): string {
  let name = ''
  for (const salt of words) name += hexWord(title, chunk, salt)
  return name
}
