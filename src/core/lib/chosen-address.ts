import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { networkMatcher, normalAddress } from './address.ts'
import { orLate } from './within.ts'

const lookupMs = 10_000
/** Metadata services of hosts outside the link-local networks, and what reaches no single machine. */
const isBlocked = networkMatcher([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '224.0.0.0/4',
  'ff00::/8',
  '255.255.255.255',
])
/** Networks whose addresses contain an IPv4 address, and the byte at which it begins. */
const embedding = [
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/48', 12],
  ['2002::/16', 2],
  ['::/96', 12],
] as const

/** The addresses of a name; rejects when there are none. */
export type Resolve = (host: string) => Promise<string[]>

/** The host leads to an address that the service does not connect to. */
export class ForbiddenAddress extends Error {}

const resolveSystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * Whether an address must not be called for users: link-local, metadata, multicast, also inside an
 * IPv6 address of a translator. False for names, loopback and the local network.
 */
export function isForbiddenAddress(text: string): boolean {
  const address = normalAddress(text)
  if (address === null) return false
  if (isBlocked(address)) return true
  return embedding.some(([network, start]) => {
    if (!networkMatcher([network])(address)) return false
    const inner = ipaddr
      .parse(address)
      .toByteArray()
      .slice(start, start + 4)
    return isBlocked(inner.join('.'))
  })
}

/**
 * The address to connect to for a host that a user chose: callers connect to it and do not resolve
 * again. Throws ForbiddenAddress when any address of the host is forbidden; rejects when it has none.
 */
export async function chosenAddress(host: string, resolve = resolveSystem): Promise<string> {
  const bare = host.replaceAll(/[[\]]/g, '')
  const found = isIP(bare) > 0 ? [bare] : await orLate(resolve(bare), lookupMs, [])
  if (found.some(isForbiddenAddress)) {
    throw new ForbiddenAddress(`${host} leads to an address that is not allowed`)
  }
  // Only one is tried, and many home networks have no route to addresses of IPv6.
  const address = found.find((one) => isIP(one) === 4) ?? found[0]
  if (address === undefined) throw new Error(`${host} has no address`)
  return address
}

/** `lookup` of a socket: it connects to the address that was judged. */
export const chosenLookup =
  (resolve?: Resolve): LookupFunction =>
  (host, options, done) => {
    const found = (address: string) => {
      const family = isIP(address)
      if (options.all === true) done(null, [{ address, family }])
      else done(null, address, family)
    }
    chosenAddress(host, resolve).then(found, (error: Error) => done(error, '', 0))
  }
