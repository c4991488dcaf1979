import { normalAddress } from './address.ts'
import { SettingError, type SettingsReader } from './settings-reader.ts'

const tcpPorts = { min: 1, max: 65_535 }
const images = 'ghcr.io/regix1'

/** Host name or address with an optional port; null when it is neither. */
function addressOf(text: string): { host: string; port: number } | null {
  const isBare = (text.match(/:/g)?.length ?? 0) > 1 && !text.startsWith('[')
  const url = /^[a-z0-9._:[\]-]{1,255}$/i.test(text)
    ? URL.parse(`http://${isBare ? `[${text}]` : text}/`)
    : null
  if (url === null || url.hostname === '') return null
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
}

/** Address of the cache; null: detected. The port is used by Larder's own engines only. */
function cacheAddress(read: SettingsReader): { host: string; port: number } | null {
  const text = read.text('Prefill__LancacheIp')
  const address = text === null ? null : addressOf(text)
  if (text === null || address !== null) return address
  throw new SettingError('Prefill__LancacheIp: is not valid; allowed: host, host:port')
}

/** `auto`, or yes or no. */
function automatic(read: SettingsReader, name: string): boolean | null {
  const choice = read.choice(name, ['auto', 'true', 'false'] as const, 'auto')
  return choice === 'auto' ? null : choice === 'true'
}

/** How containers of prefill daemons are created and reached. */
export function prefillContainers(read: SettingsReader) {
  const image = (key: string, name: string) =>
    read.text(`Prefill__${key}DockerImage`) ?? `${images}/${name}-prefill-daemon:latest`
  const network = { pattern: /^[\w.-]{1,128}$/, allowed: 'auto, host, bridge, or a network name' }
  return {
    images: {
      alpha: image('Alpha', 'steam'),
      beta: image('Beta', 'epic'),
      gamma: image('Gamma', 'battlenet'),
      delta: image('Delta', 'riot'),
      epsilon: image('Epsilon', 'xbox'),
    },
    /** The data folder as the container engine sees it; null: read from our own container. */
    hostDataPath: read.text('Prefill__HostDataPath'),
    tcp: {
      /** Null: only where sockets cannot be shared with containers. */
      isUsed: automatic(read, 'Prefill__UseTcp'),
      /** Port inside the container. */
      port: read.integer('Prefill__TcpPort', 45_555, tcpPorts),
      /** Published port; null: one that the engine picks. */
      hostPort: read.optionalInteger('Prefill__HostTcpPort', tcpPorts),
      host: read.text('Prefill__TcpHost') ?? '127.0.0.1',
    },
    /** `auto`, `host`, `bridge`, or the name of a network. */
    networkMode: read.matching('Prefill__NetworkMode', network) ?? 'auto',
    cacheAddress: cacheAddress(read),
    /** DNS server of the containers; null: the cache's own, if there is one. */
    dnsServer: dnsServer(read),
  }
}

function dnsServer(read: SettingsReader): string | null {
  const text = read.text('Prefill__LancacheDnsIp')
  if (text === null || text.toLowerCase() === 'auto') return null
  const address = normalAddress(text)
  if (address !== null) return address
  throw new SettingError('Prefill__LancacheDnsIp: is not valid; allowed: auto, or an IP address')
}
