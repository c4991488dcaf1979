import { perPlatform, platformFacts, type Platform } from '../../platforms/platforms.ts'
import type { SettingsReader } from './settings-reader.ts'

const tcpPorts = { min: 1, max: 65_535 }

/** How containers of prefill daemons are created and reached. */
export function prefillContainers(read: SettingsReader) {
  const image = (platform: Platform) =>
    read.text(`Prefill__${platformFacts[platform].name}DockerImage`)
  const tcp = read.choice('Prefill__UseTcp', ['auto', 'true', 'false'] as const, 'auto')
  const network = { pattern: /^[\w.-]{1,128}$/, allowed: 'auto, host, bridge, or a network name' }
  return {
    /** Images of the daemons; null: none is configured. */
    images: perPlatform(image),
    /** The data folder as the container engine sees it; null: read from our own container. */
    hostDataPath: read.text('Prefill__HostDataPath'),
    tcp: {
      /** Null: only where sockets cannot be shared with containers. */
      isUsed: tcp === 'auto' ? null : tcp === 'true',
      port: read.integer('Prefill__TcpPort', 45_555, tcpPorts),
      /** Published port; null: one that the engine picks. */
      hostPort: read.optionalInteger('Prefill__HostTcpPort', tcpPorts),
      host: read.text('Prefill__TcpHost') ?? '127.0.0.1',
    },
    /** `auto`, `host`, `bridge`, or the name of a network. */
    networkMode: read.matching('Prefill__NetworkMode', network) ?? 'auto',
  }
}
