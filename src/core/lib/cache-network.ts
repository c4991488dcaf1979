import type { VariableName } from './environment-variables.ts'
import { serverText } from './dns-servers.ts'
import { SettingError, type SettingsReader } from './settings-reader.ts'

export interface ServerAddress {
  /** Host name or address, without brackets. */
  host: string
  port: number
}

/** `host`, `host:port`, an address or `[v6]:port`; the port is 80 unless given. Null for others. */
export function serverAddress(text: string): ServerAddress | null {
  const isBare = (text.match(/:/g)?.length ?? 0) > 1 && !text.startsWith('[')
  const isPlain = /^[a-z0-9._:[\]-]{1,255}$/i.test(text)
  const url = isPlain ? URL.parse(`http://${isBare ? `[${text}]` : text}/`) : null
  if (url === null || url.hostname === '') return null
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
}

/** The same as text; published daemons know no other port than 80. */
export function serverAddressText({ host, port }: ServerAddress): string {
  if (port === 80) return host
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The address in a setting; null when it is not set. */
export function readServerAddress(read: SettingsReader, name: VariableName): ServerAddress | null {
  const text = read.text(name)
  const address = text === null ? null : serverAddress(text)
  if (text === null || address !== null) return address
  throw new SettingError(`${name}: is not valid; allowed: an address, a host name, host:port`)
}

function dnsServer(read: SettingsReader): string | null {
  const text = read.text('Prefill__LancacheDnsIp')
  const server = text === null || text.toLowerCase() === 'auto' ? null : serverText(text)
  if (text === null || text.toLowerCase() === 'auto' || server !== null) return server
  throw new SettingError(
    'Prefill__LancacheDnsIp: is not valid; allowed: auto, ip, ip:port, [ipv6]:port',
  )
}

/** The network's cache and the DNS server that leads clients to it; null: detected. */
export function cacheNetwork(read: SettingsReader) {
  return {
    address: readServerAddress(read, 'Prefill__LancacheIp'),
    /** `ip`, `ip:port` or `[ipv6]:port`. */
    dnsServer: dnsServer(read),
  }
}
