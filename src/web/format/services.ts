import { platformFacts, platforms as all, type Platform } from '../../platforms/platforms.ts'
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
 * Log service names beyond those of platforms and their display names. Unknown names are shown unchanged. Maps, because any
 * client can invent a service: `constructor` is a member of every object.
 */
const names = new Map(
  Object.entries({
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

const platforms = new Map(
  all.flatMap((platform) => {
    const { services, relatedServices } = platformFacts[platform]
    return [...services, ...relatedServices].map((service) => [service, platform] as const)
  }),
)

export function serviceName(service: string): string {
  const key = own.get(service)
  if (key !== undefined) return t(key)
  const plain = service.toLowerCase()
  const platform = platforms.get(plain)
  return names.get(plain) ?? (platform === undefined ? service : platformFacts[platform].title)
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

/** The server's name for Steam content without a known game. */
const unidentified = 'Unknown/Other'

/** A row without a title has the log's name for the service. */
export function titleOf(name: string): string {
  if (name === unidentified) return t('downloads.untitled')
  return name === name.toLowerCase() ? serviceName(name) : name
}

/** The service of a row, or that the row has no title besides it. */
export const serviceNote = (name: string, service: string): string =>
  titleOf(name) === serviceName(service) ? t('downloads.untitled') : serviceName(service)

/** Whether a row of the downloads list has no title. */
export const isUntitled = (name: string, service: string): boolean =>
  name === unidentified || titleOf(name) === serviceName(service)

export const platformOf = (service: string): Platform | 'other' =>
  platforms.get(service.toLowerCase()) ?? 'other'

/** Display name of a client: nickname, host name or the address. */
export function clientName(
  ip: string,
  displayName: string | null | undefined,
  names: Record<string, string>,
): string {
  return displayName || names[ip] || ip
}

/** Display form of a title's key: `alpha:441` is a depot; for others the most telling part. */
export function titleText(titleKey: string): string {
  const colon = titleKey.indexOf(':')
  const rest = titleKey.slice(colon + 1)
  return titleKey.startsWith('alpha:') ? t('game.depot', { id: rest }) : rest
}
