import { t, type Key } from '../locales/translate.ts'

/** Names of the log engine; `other` are those beyond the number that it lists separately. */
const own = new Map<string, Key>(
  Object.entries({
    'ip-address': 'services.ip',
    other: 'services.other',
    unknown: 'services.unknown',
  }),
)

/**
 * Log service names and their display names. Unknown names are shown unchanged. Maps, because any
 * client can invent a service: `constructor` is a member of every object.
 */
const names = new Map(
  Object.entries({
    steam: 'Steam',
    epicgames: 'Epic Games',
    epic: 'Epic Games',
    blizzard: 'Battle.net',
    battlenet: 'Battle.net',
    riot: 'Riot Games',
    riotgames: 'Riot Games',
    xbox: 'Xbox',
    xboxlive: 'Xbox',
    microsoft: 'Xbox',
    wsus: 'Windows Update',
    origin: 'EA app',
    uplay: 'Ubisoft',
    ubisoft: 'Ubisoft',
    arenanet: 'ArenaNet',
    sony: 'PlayStation',
    nintendo: 'Nintendo',
    rockstar: 'Rockstar Games',
    wargaming: 'Wargaming',
    wargamingnet: 'Wargaming',
    'wargaming.net': 'Wargaming',
    bsg: 'Battlestate Games',
    cityofheroes: 'City of Heroes',
    cod: 'Call of Duty',
    daybreak: 'Daybreak Games',
    frontier: 'Frontier',
    neverwinter: 'Neverwinter',
    nexusmods: 'Nexus Mods',
    pathofexile: 'Path of Exile',
    renegadex: 'Renegade X',
    square: 'Square Enix',
    teso: 'The Elder Scrolls Online',
    warframe: 'Warframe',
    localhost: 'localhost',
  }),
)

export type Platform = 'alpha' | 'beta' | 'gamma' | 'delta' | 'epsilon' | 'other'

const platforms = new Map<string, Platform>(
  Object.entries({
    steam: 'alpha',
    epicgames: 'beta',
    epic: 'beta',
    blizzard: 'gamma',
    battlenet: 'gamma',
    riot: 'delta',
    riotgames: 'delta',
    xbox: 'epsilon',
    xboxlive: 'epsilon',
    microsoft: 'epsilon',
    wsus: 'epsilon',
  }),
)

export const serviceName = (service: string): string => {
  const key = own.get(service)
  return key === undefined ? (names.get(service.toLowerCase()) ?? service) : t(key)
}

/** What the log engine calls current traffic without a title, by the service's name in other lists. */
const labels = new Map(
  Object.entries({
    'Blizzard / Battle.net': 'blizzard',
    'Direct IP': 'ip-address',
    'EA / Origin': 'origin',
    Localhost: 'localhost',
    'Other Services': 'other',
    'Unknown Service': 'unknown',
    'Xbox Live': 'xboxlive',
  }),
)

/** Name of current traffic. */
export function speedName(gameName: string | null, service: string): string {
  const untitled = gameName === null ? service : labels.get(gameName)
  return untitled === undefined ? (gameName ?? '') : serviceName(untitled)
}

/** A row without a title has the log's name for the service. */
export const titleOf = (name: string): string =>
  name === name.toLowerCase() ? serviceName(name) : name

export const platformOf = (service: string): Platform =>
  platforms.get(service.toLowerCase()) ?? 'other'
