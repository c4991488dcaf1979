import { t } from '../locales/translate.ts'

/** Services beyond the number that the log engine and reports list separately. */
const rest = 'other'

/** Log service names and their display names. Unknown names are shown unchanged. */
const names: Record<string, string> = {
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
  localhost: 'localhost',
}

export type Platform = 'alpha' | 'beta' | 'gamma' | 'delta' | 'epsilon' | 'other'

const platforms: Record<string, Platform> = {
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
}

export const serviceName = (service: string): string =>
  service === rest ? t('services.other') : (names[service.toLowerCase()] ?? service)

/** A row without a title has the log's name for the service. */
export const titleOf = (name: string): string =>
  name === name.toLowerCase() ? serviceName(name) : name

export const platformOf = (service: string): Platform => platforms[service.toLowerCase()] ?? 'other'
