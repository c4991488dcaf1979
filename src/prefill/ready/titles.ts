/*
 * Finds a platform's app among the games that the cache and the downloads know: Steam's by app id,
 * those of Epic Games by their id, all others by the service and the name.
 */
import { serviceFacts } from '../../platforms/service-facts.ts'
import { isPlatform, platformFacts, type Platform } from '../../platforms/platforms.ts'

/** A game as the cache and the downloads name it: `alpha:<app>`, `beta:<id>`, `named:<service>:<name>`. */
interface Keyed {
  key: string
}

interface App {
  platform: Platform
  appId: string
  name: string
}

/** Marks and spaces differ between stores. */
const plain = (name: string): string =>
  name
    .replaceAll(/[™℠®©]/g, '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** Service and name of a game that is known by these only. */
function namedIn(key: string): { service: string; name: string } | null {
  const [, service = '', name = ''] = /^named:([^:]*):(.*)$/s.exec(key) ?? []
  return name === '' ? null : { service: service.toLowerCase(), name: plain(name) }
}

const isOf = (platform: Platform, service: string): boolean => {
  const services: readonly string[] = platformFacts[platform].services
  return services.includes(service) || serviceFacts[platform].titledServices.test(service)
}

export function isSameGame({ platform, appId, name }: App, { key }: Keyed): boolean {
  if (key === `${platform}:${appId}`) return true
  const found = namedIn(key)
  return found !== null && isOf(platform, found.service) && found.name === plain(name)
}

/** Finds the known games that an app is, without comparing it with each of them. */
export function gamesByApp<Game extends Keyed>(games: readonly Game[]): (app: App) => Game[] {
  const byKey = Map.groupBy(games, ({ key }) => key)
  const byName = Map.groupBy(games, ({ key }) => namedIn(key)?.name ?? null)
  return (app) => [
    ...(byKey.get(`${app.platform}:${app.appId}`) ?? []),
    ...(byName.get(plain(app.name)) ?? []).filter((game) => isSameGame(app, game)),
  ]
}

/** The platform and the id of a known game; null: no platform can prefill it. */
export function appOf(
  key: string,
  /** Games of the platforms' daemons, by id. */
  listed: ReadonlyMap<Platform, ReadonlyMap<string, string>>,
): { platform: Platform; appId: string } | null {
  const [, known = '', appId = ''] = /^([^:]+):(.+)$/s.exec(key) ?? []
  if (isPlatform(known)) return { platform: known, appId }
  for (const [platform, games] of listed) {
    for (const [id, name] of games) {
      if (isSameGame({ platform, appId: id, name }, { key })) return { platform, appId: id }
    }
  }
  return null
}
