import { ascii, indexOfBytes, type ByteSpan } from '../bytes.ts'

/** Product code to name, as in the platform's public version service. */
export const gammaProducts: Readonly<Record<string, string>> = {
  rtro: 'Blizzard Arcade Collection',
  drtl: 'Diablo',
  anbs: 'Diablo Immortal',
  osi: 'Diablo II: Resurrected',
  d3: 'Diablo III',
  fenris: 'Diablo IV',
  hsb: 'Hearthstone',
  hero: 'Heroes of the Storm',
  s1: 'StarCraft: Remastered',
  s2: 'StarCraft II',
  pro: 'Overwatch',
  w1r: 'Warcraft I: Remastered',
  w2bn: 'Warcraft II: Battle.net Edition',
  w2r: 'Warcraft II: Remastered',
  w3: 'Warcraft III: Reforged',
  gryphon: 'Warcraft Rumble',
  wow: 'World of Warcraft',
  viper: 'Call of Duty: Black Ops 4',
  btlr: 'Call of Duty: Black Ops 6',
  zeus: 'Call of Duty: Black Ops Cold War',
  odin: 'Call of Duty: Modern Warfare (2019)',
  nina: 'Call of Duty: Modern Warfare II',
  pinta: 'Call of Duty: Modern Warfare III',
  auks: 'Call of Duty',
  lazr: 'Call of Duty: Modern Warfare 2 Remastered',
  fore: 'Call of Duty: Vanguard',
  wlby: 'Crash Bandicoot 4',
  aqua: 'Avowed',
  scor: 'Sea of Thieves',
}

/** Folder names on the content servers that differ from the product code. */
const aliases: Readonly<Record<string, string>> = {
  diablo3: 'd3',
  hs: 'hsb',
  'hero-live-a': 'hero',
  sc1live: 's1',
  sc2: 's2',
  ovw: 'pro',
  'w1r-live': 'w1r',
  'w2r-live': 'w2r',
  war3: 'w3',
  b04: 'viper',
  cortez: 'btlr',
  wallaby: 'wlby',
}

const sharedFolders: ReadonlySet<string> = new Set(['configs', 'agent', 'catalogs', 'bna', 'bts'])

const sharedSegment = 'shared'
export const gammaSharedName = 'Battle.net (shared)'

const cleanSegment = /^[a-z0-9._-]{1,64}$/

/** Common form of a product's folder names; null for text that names no product. */
function canonical(folder: string): { segment: string; isKnown: boolean } | null {
  const lower = folder.toLowerCase()
  if (!cleanSegment.test(lower)) return null
  if (sharedFolders.has(lower)) return { segment: sharedSegment, isKnown: true }
  const segment = Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower
  return { segment, isKnown: Object.hasOwn(gammaProducts, segment) }
}

/** Segment after `/tpr/`: always a product, known or not. */
export const tprSegment = (folder: string): string | null => canonical(folder)?.segment ?? null

/** First path segment: a product only if known. */
export function firstSegment(folder: string): string | null {
  const found = canonical(folder)
  return found?.isKnown === true ? found.segment : null
}

export const gammaName = (segment: string): string | null => {
  if (segment === sharedSegment) return gammaSharedName
  return Object.hasOwn(gammaProducts, segment) ? (gammaProducts[segment] as string) : null
}

/** Names of all known products. */
export const gammaNames = (): string[] => Object.values(gammaProducts)

const tprMark = ascii('/tpr/')
const slash = 0x2f

/** Span of the folder that names the product, and whether it follows `/tpr/`. */
export function productFolder(buffer: Uint8Array, path: ByteSpan): ByteSpan & { isTpr: boolean } {
  const mark = indexOfBytes(buffer, tprMark, path)
  const from = mark >= 0 ? mark + tprMark.length : path.from + 1
  let to = from
  while (to < path.to && buffer[to] !== slash) to++
  return { from, to, isTpr: mark >= 0 }
}
