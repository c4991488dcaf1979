const labels: Readonly<Record<string, string>> = {
  steam: 'Steam',
  epic: 'Epic Games',
  epicgames: 'Epic Games',
  origin: 'EA / Origin',
  ea: 'EA / Origin',
  blizzard: 'Blizzard / Battle.net',
  'battle.net': 'Blizzard / Battle.net',
  battlenet: 'Blizzard / Battle.net',
  riot: 'Riot Games',
  riotgames: 'Riot Games',
  xbox: 'Xbox Live',
  xboxlive: 'Xbox Live',
  wsus: 'Windows Update',
  windows: 'Windows Update',
  uplay: 'Ubisoft',
  arenanet: 'ArenaNet',
  sony: 'PlayStation',
  nintendo: 'Nintendo',
  rockstar: 'Rockstar Games',
  wargaming: 'Wargaming',
  localhost: 'Localhost',
  'ip-address': 'Direct IP',
  unknown: 'Unknown Service',
}

/** What people call a service; an unmapped host stays its own name. */
export const serviceLabel = (service: string): string =>
  Object.hasOwn(labels, service) ? (labels[service] as string) : service
