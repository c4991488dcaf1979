import type { EndOf } from '../../../locales/translate.ts'
import type { Domain, Result, Service } from './queries.ts'

export interface Fault {
  /** What is wrong; each has a text and a remedy. */
  id: EndOf<'statusCheck.fault'> & EndOf<'statusCheck.remedy'>
  /** Domains, or hosts of content. */
  names: string[]
}

const isSilent = ({ status, error }: Domain) => status === 'unresolved' && error !== 'NXDOMAIN'

/** What is wrong according to a check, the cause of most first. */
export function faultsOf(
  result: Pick<Result, 'services' | 'heartbeat' | 'contentReport'>,
): Fault[] {
  const domains = result.services
    .filter(({ status }) => status !== 'disabled')
    .flatMap((service) => service.domains)
  const named = (wanted: Domain['status']) =>
    domains.filter(({ status }) => status === wanted).map((one) => one.originalEntry)
  const isDnsSilent = domains.length > 0 && domains.every(isSilent)
  const leadsNowhere = named('resolved').length === 0
  const mismatched = named('mismatched')
  const unverified = named('unverified')
  const { reachable, cacheIp } = result.heartbeat
  // A silent resolver does not say where the cache is.
  const isCacheAway = !reachable && !(isDnsSilent && cacheIp === null)
  const faults: Fault[] = [
    { id: 'dnsSilent', names: isDnsSilent ? [''] : [] },
    // A cache that answers nowhere does not answer for these domains either.
    { id: 'noCache', names: isCacheAway ? ['', ...unverified] : [] },
    { id: 'wrongDns', names: leadsNowhere ? mismatched : [] },
    { id: 'mismatched', names: leadsNowhere ? [] : mismatched },
    { id: 'unresolved', names: isDnsSilent ? [] : named('unresolved') },
    { id: 'unverified', names: isCacheAway ? [] : unverified },
    { id: 'blocked', names: named('blocked') },
    {
      id: 'httpsOnly',
      names: result.contentReport.paths
        .filter(({ protocolStatus }) => protocolStatus === 'httpsOnlyCandidate')
        .map(({ host }) => host),
    },
  ]
  return faults.filter(({ names }) => names.length > 0)
}

const causeOf = ({ status, error }: Domain): string => `${status} ${error}`
const isFault = ({ status }: Domain): boolean => status !== 'resolved' && status !== 'blocked'

/** The first domain that fails, as an example of the cause. */
export const exampleOf = ({ domains }: Service): Domain | undefined => domains.find(isFault)

/** Services by their cause: those whose faults are all alike are one entry, others one each. */
export function byCause(services: readonly Service[]): Service[][] {
  return Object.values(
    Object.groupBy(services, (service) => {
      const { service: name, status, domains } = service
      const causes = new Set(domains.filter(isFault).map(causeOf))
      const isOneCause = isProblem(status) && causes.size === 1
      return isOneCause ? `${status} ${[...causes].join('')}` : `service ${name}`
    }),
  ).filter((group) => group !== undefined)
}

export const isProblem = (status: Service['status']): boolean =>
  status !== 'resolved' && status !== 'disabled'
