import { deltaNames } from '../../engines/titles/delta/title.ts'
import { gammaNames } from '../../engines/titles/gamma/title.ts'

/** Services whose games have no id of their own in the API, only a name. */
export const nameServices = ['blizzard', 'riot', 'xbox'] as const
export type NameService = (typeof nameServices)[number]

const aliases: Readonly<Record<string, NameService>> = {
  blizzard: 'blizzard',
  'battle.net': 'blizzard',
  battlenet: 'blizzard',
  riot: 'riot',
  riotgames: 'riot',
  xbox: 'xbox',
  xboxlive: 'xbox',
  microsoft: 'xbox',
}

/** Null: games of this service are not identified by name. */
export function nameServiceOf(text: string): NameService | null {
  const lower = text.toLowerCase()
  return Object.hasOwn(aliases, lower) ? (aliases[lower] ?? null) : null
}

/** Letters and digits in lower case; every other run of characters becomes one hyphen. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/** Games of other platforms that Steam sells, too: its header image is theirs. */
const soldOnAlpha: readonly [name: string, alphaAppId: number][] = [
  ['Overwatch', 2357570],
  ['Diablo IV', 2344520],
  ['Diablo II: Resurrected', 2536520],
  ['Call of Duty', 1938090],
  ['Call of Duty: Black Ops Cold War', 1985810],
  ['Call of Duty: Modern Warfare (2019)', 2000950],
  ['Call of Duty: Vanguard', 1985820],
  ['Crash Bandicoot 4', 1378990],
  ['Avowed', 2457220],
  ['Sea of Thieves', 1172620],
  ['Halo Infinite', 1240440],
  ['Forza Horizon 5', 1551360],
  ['Starfield', 1716740],
  ['Minecraft Dungeons', 1672970],
  ['Cyberpunk 2077', 1091500],
  ['Satisfactory', 526870],
  ['Hades', 1145360],
]

const alphaBySlug = new Map(soldOnAlpha.map(([name, appId]) => [slugOf(name), appId]))

/** The app on Steam of a game with this slug; null: not known to be sold there. */
export const alphaOf = (slug: string): number | null => alphaBySlug.get(slug) ?? null

/** Slugs of all games in the table of games that Steam sells, too. */
export const slugsOnAlpha = (): Iterable<[slug: string, alphaAppId: number]> => alphaBySlug

const drawn: Readonly<Record<NameService, ReadonlyMap<string, string>>> = {
  blizzard: new Map(gammaNames().map((name) => [slugOf(name), name])),
  riot: new Map(deltaNames().map((name) => [slugOf(name), name])),
  xbox: new Map(),
}

/** Name of a game for which Larder draws a banner itself; null: it draws none. */
export const drawnName = (service: NameService, slug: string): string | null =>
  drawn[service].get(slug) ?? null
