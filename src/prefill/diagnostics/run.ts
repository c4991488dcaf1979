import { isPrivateAddress } from '../../core/lib/address.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'
import type { NetworkDiagnostics } from '../transports/contract.ts'
import { addressesIn } from './addresses.ts'

/** Result of a command where the daemon runs; null exit code: it did not end in time. */
export interface CommandResult {
  exitCode: number | null
  output: string
}
export type RunCommand = (command: string[]) => Promise<CommandResult>

/** Of one connection, seconds. */
const connectSeconds = '10'
/** Longest error shown. */
const errorCharsMax = 200

type Family = '-4' | '-6'
/** Members that the transport knows about its daemon. */
type DaemonFacts =
  'testedAt' | 'advice' | 'useHostNetworking' | 'lancacheIpInjected' | 'lancacheIpSource'
export type Reached = Omit<NetworkDiagnostics, DaemonFacts>

/** Exit codes of shells and engines for a program that does not exist. */
const isMissing = ({ exitCode }: CommandResult) => exitCode === 126 || exitCode === 127

/** Usage errors of a program that does not know the switch for a family. */
const isUnknownSwitch = ({ output }: CommandResult) =>
  /unrecognized option|invalid option|unknown option|usage:/i.test(output)

function errorOf({ exitCode, output }: CommandResult): string {
  if (exitCode === null) return 'No answer in time'
  const last = (output.trim().split('\n').at(-1) ?? '').trim().slice(0, errorCharsMax)
  return last === '' ? `Ended with exit code ${exitCode}` : last
}

/**
 * Whether an address answers; null: no program here can tell. Either program is enough: curl also
 * counts answers such as 404, which wget calls errors.
 */
async function reach(run: RunCommand, url: string, family?: Family) {
  const switches = family === undefined ? [] : [family]
  const commands = [
    ['wget', '-q', '-O', '-', '-T', connectSeconds, ...switches, url],
    ['curl', '-sS', '-o', '/dev/null', '-m', connectSeconds, ...switches, url],
  ]
  let failure: string | null = null
  for (const command of commands) {
    const result = await run(command)
    if (result.exitCode === 0) return { isReached: true, error: null }
    if (isMissing(result) || (family !== undefined && isUnknownSwitch(result))) continue
    failure = errorOf(result)
  }
  const error = failure ?? 'The container has no program to test this'
  return { isReached: failure === null ? null : false, error }
}

async function resolve(run: RunCommand, domain: string) {
  const commands = [
    ['nslookup', domain],
    ['getent', 'hosts', domain],
    ['ping', '-c', '1', '-W', '2', domain],
  ]
  let error: string | null = null
  for (const command of commands) {
    const result = await run(command)
    const resolvedIps = addressesIn(result.output)
    // A name is resolved even where no echo comes back.
    if ((result.exitCode === 0 || command[0] === 'ping') && resolvedIps.length > 0) {
      const isPrivateIp = resolvedIps.some(isPrivateAddress)
      return { domain, resolvedIps, isPrivateIp, success: true, error: null }
    }
    if (!isMissing(result)) error ??= errorOf(result)
  }
  error ??= 'The container has no program that resolves names'
  return { domain, resolvedIps: [], isPrivateIp: false, success: false, error }
}

/** Tests what a daemon can reach, one command at a time. */
export async function testNetwork(platform: Platform, run: RunCommand): Promise<Reached> {
  const { url, domains } = serviceFacts[platform].probe
  const either = await reach(run, url)
  const ipv4 = await reach(run, url, '-4')
  const ipv6 = await reach(run, url, '-6')
  const dnsResults = []
  for (const domain of domains) dnsResults.push(await resolve(run, domain))
  return {
    internetConnectivity: either.isReached === true,
    internetConnectivityError: either.error,
    internetConnectivityIpv4: ipv4.isReached,
    internetConnectivityIpv4Error: ipv4.error,
    internetConnectivityIpv6: ipv6.isReached,
    internetConnectivityIpv6Error: ipv6.error,
    dnsResults,
  }
}
