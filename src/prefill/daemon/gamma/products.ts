import { gammaProducts } from '../../../engines/titles/gamma/title.ts'

export interface Product {
  code: string
  name: string
  /** Tags of the files that a client in English on Windows needs. */
  tags: readonly string[]
  /** Tags that contain one of the texts match, too. */
  matchesParts: boolean
  /** Archive indexes that are read at the same time. */
  indexesAtOnce: number
  /** Shortest range of a file outside of the archives. */
  looseBytesMin: number
  hasPatchIndexes: boolean
}

const usualTags = ['enUS', 'Windows', 'noigr', 'x86_64']
const dummy = ['dummy']
const english = ['Windows', 'enUS']
const classic = ['Windows', 'enUS', 'x86_64', 'US']

/** Products whose logged paths are those of another one. */
const editions = {
  wow_classic: 'World of Warcraft Classic',
  wow_classic_era: 'World of Warcraft Classic Era',
}

/** Tags by product code, where they differ from the usual ones. */
const ownTags: Readonly<Record<string, readonly string[]>> = {
  rtro: dummy,
  drtl: dummy,
  anbs: dummy,
  hsb: english,
  s1: ['Windows', 'enUS', 'x86', 'noigr'],
  s2: english,
  pro: ['DevReg', 'enUS'],
  w2bn: dummy,
  wow: ['Windows', 'enUS', 'x86'],
  wow_classic: classic,
  wow_classic_era: classic,
  zeus: ['enUS', 'acct-DEU', 'cp', 'mp', 'zm', 'zm2'],
  wlby: dummy,
}

const withoutPatchIndexes = new Set(['hsb', 'rtro'])

/** All products that can be prefilled. */
export const products: readonly Product[] = Object.entries({
  ...gammaProducts,
  ...editions,
}).map(([code, name]) => ({
  code,
  name,
  tags: ownTags[code] ?? usualTags,
  matchesParts: ownTags[code] !== undefined,
  indexesAtOnce: code === 'pro' ? 6 : 3,
  looseBytesMin: code === 'w3' ? 4096 : 1,
  hasPatchIndexes: !withoutPatchIndexes.has(code),
}))
