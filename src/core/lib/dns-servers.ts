import { SettingError, type SettingsReader } from './settings-reader.ts'
import { getServers } from 'node:dns'
import { readableText } from './readable.ts'
import ipaddr from 'ipaddr.js'
import { isPrivateAddress, normalAddress } from './address.ts'

/** Resolvers that are queried one after the other, at most. */
export const serversMax = 8

/** Accepts `10.0.0.1`, `10.0.0.1:5353`, `fd00::1` and `[fd00::1]:5353`; null for anything else. */
export function serverText(text: string): string | null {
  const [, v6, v4, port] = /^(?:\[(.+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(bracketed(text)) ?? []
  const address = normalAddress(v6 ?? v4 ?? '')
  if (address === null || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    return null
  }
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}

const bracketed = (text: string) => (ipaddr.IPv6.isValid(text) ? `[${text}]` : text)

/** The address of a server without its port. */
export const serverHost = (server: string): string =>
  server.replace(/^\[(.+)\].*$/, '$1').replace(/^([\d.]+):\d+$/, '$1')

/** External resolvers must not see queries for private addresses. */
function isNear(server: string): boolean {
  const address = normalAddress(serverHost(server))
  if (address === null) return false
  return isPrivateAddress(address) || ipaddr.parse(address).range() === 'loopback'
}

/** Gateways of the default routes, which often know a home network's names. Linux only. */
export function gatewaysOf(routes: string): string[] {
  const gateways = new Set<string>()
  for (const line of routes.split('\n').slice(1)) {
    const [, destination, gateway] = line.trim().split(/\s+/)
    if (destination !== '00000000' || gateway === undefined || !/^[0-9A-F]{8}$/i.test(gateway)) {
      continue
    }
    const bytes = [6, 4, 2, 0].map((from) => Number.parseInt(gateway.slice(from, from + 2), 16))
    if (bytes.some((byte) => byte > 0)) gateways.add(bytes.join('.'))
  }
  return [...gateways]
}

/** Gateways of this machine or container; not known where it is no Linux. */
export const readGateways = (): string[] => gatewaysOf(readableText('/proc/net/route'))

/** Networks in which routers are assumed; no more would be queried anyway. */
export const networksMax = 8

/** The first three numbers of IPv4 addresses, each once. */
export function networksOf(clients: readonly string[]): string[] {
  const networks = new Set<string>()
  for (const client of clients) {
    const address = normalAddress(client)
    if (address?.includes('.')) networks.add(address.slice(0, address.lastIndexOf('.')))
  }
  return [...networks]
}

export interface ServerRules {
  /** Configured by the operator; queried first, wherever they are. */
  servers: readonly string[]
  /** Queries only these. */
  isExclusive: boolean
}

/** Resolvers in the order in which they are queried. */
export function serversFor(rules: ServerRules, networks: readonly string[]): string[] {
  // Common addresses of a router.
  const routers = networks.flatMap((network) => [`${network}.1`, `${network}.254`])
  const found = rules.isExclusive
    ? []
    : [...getServers(), ...readGateways(), ...routers].map(serverText)
  const near = found.filter((server): server is string => server !== null && isNear(server))
  return [...new Set([...rules.servers, ...near])].slice(0, serversMax)
}

/** Resolvers for clients' host names. Only private addresses are looked up. */
export function dnsSettings(read: SettingsReader) {
  const servers = read.list('Dns__Servers').map((entry) => {
    const server = serverText(entry)
    if (server !== null) return server
    throw new SettingError(
      `Dns__Servers: ${JSON.stringify(entry)} is not valid; allowed: ip, ip:port, [ipv6]:port`,
    )
  })
  return {
    servers,
    /** Uses only these, not the system's resolvers or the routers of the clients' networks. */
    isExclusive: read.flag('Dns__OnlyServers', false),
  }
}
