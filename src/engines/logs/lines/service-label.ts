import { platformFacts, platforms } from '../../../platforms/platforms.ts'
import { serviceFacts } from '../../../platforms/service-facts.ts'

/** Collects the requests of all services beyond a day's limit. */
export const otherService = 'other'

const labels: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    platforms.flatMap((platform) => {
      const { trafficLabel } = serviceFacts[platform]
      return platformFacts[platform].services.map((service) => [service, trafficLabel])
    }),
  ),
  origin: 'EA / Origin',
  ea: 'EA / Origin',
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
  [otherService]: 'Other Services',
}

/** One of the caching proxy's own services, as opposed to an arbitrary Host header. */
export const isKnownService = (service: string): boolean => Object.hasOwn(labels, service)

/** Display name of a service; an unmapped host keeps its name. */
export const serviceLabel = (service: string): string =>
  Object.hasOwn(labels, service) ? (labels[service] as string) : service
