/** A product of Battle.net. */
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
  hasPatchConfig: boolean
  hasPatchIndexes: boolean
}

const usualTags = ['enUS', 'Windows', 'noigr', 'x86_64']
const dummy = ['dummy']
const english = ['Windows', 'enUS']
const classic = ['Windows', 'enUS', 'x86_64', 'US']

/** Code, name, and tags where they differ from the usual ones. */
const list: readonly (readonly [string, string, (readonly string[])?])[] = [
  ['rtro', 'Blizzard Arcade Collection', dummy],
  ['drtl', 'Diablo', dummy],
  ['anbs', 'Diablo Immortal', dummy],
  ['osi', 'Diablo II: Resurrected'],
  ['d3', 'Diablo III'],
  ['fenris', 'Diablo IV'],
  ['hsb', 'Hearthstone', english],
  ['hero', 'Heroes of the Storm'],
  ['s1', 'StarCraft: Remastered', ['Windows', 'enUS', 'x86', 'noigr']],
  ['s2', 'StarCraft II', english],
  ['pro', 'Overwatch', ['DevReg', 'enUS']],
  ['w1r', 'Warcraft I: Remastered'],
  ['w2bn', 'Warcraft II: Battle.net Edition', dummy],
  ['w2r', 'Warcraft II: Remastered'],
  ['w3', 'Warcraft III: Reforged'],
  ['gryphon', 'Warcraft Rumble'],
  ['wow', 'World of Warcraft', ['Windows', 'enUS', 'x86']],
  ['wow_classic', 'World of Warcraft Classic', classic],
  ['wow_classic_era', 'World of Warcraft Classic Era', classic],
  ['viper', 'Call of Duty: Black Ops 4'],
  ['btlr', 'Call of Duty: Black Ops 6'],
  ['zeus', 'Call of Duty: Black Ops Cold War', ['enUS', 'acct-DEU', 'cp', 'mp', 'zm', 'zm2']],
  ['odin', 'Call of Duty: Modern Warfare'],
  ['nina', 'Call of Duty: Modern Warfare II'],
  ['pinta', 'Call of Duty: Modern Warfare III'],
  ['auks', 'Call of Duty'],
  ['lazr', 'Call of Duty: Modern Warfare 2 Campaign Remastered'],
  ['fore', 'Call of Duty: Vanguard'],
  ['wlby', 'Crash Bandicoot 4', dummy],
  ['aqua', 'Avowed'],
  ['scor', 'Sea of Thieves'],
]

const withoutPatchConfig = new Set(['fore', 'odin', 'zeus', 'hsb', 'rtro'])
const withoutPatchIndexes = new Set(['hsb', 'rtro'])

/** All products that can be prefilled. */
export const products: readonly Product[] = list.map(([code, name, tags]) => ({
  code,
  name,
  tags: tags ?? usualTags,
  matchesParts: tags !== undefined,
  indexesAtOnce: code === 'pro' ? 6 : 3,
  looseBytesMin: code === 'w3' ? 4096 : 1,
  hasPatchConfig: !withoutPatchConfig.has(code),
  hasPatchIndexes: !withoutPatchIndexes.has(code),
}))
