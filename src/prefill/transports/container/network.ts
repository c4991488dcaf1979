import type Docker from 'dockerode'
import { normalAddress } from '../../../core/lib/address.ts'
import { ownAddresses } from '../../../core/lib/own-addresses.ts'
import type { Peers } from '../../cache-address/peers.ts'

interface Settings {
  networkMode: string
  dnsServer: string | null
}

/**
 * The configured network; else that of the cache's DNS container if it uses the host's, and the
 * default bridge otherwise. Containers on the host's network use its resolvers.
 */
export function networkFor(settings: Settings, { dns }: Pick<Peers, 'dns'>) {
  const { networkMode, dnsServer } = settings
  const automatic = dns?.usesHostNetwork === true ? 'host' : 'bridge'
  const mode = networkMode === 'auto' ? automatic : networkMode
  const isHost = mode === 'host'
  return {
    /** `host`, `bridge`, or the name of a network. */
    mode,
    isHost,
    /** DNS server of the containers; null: the engine's. */
    dns: isHost ? null : (dnsServer ?? dns?.addresses[0] ?? null),
  }
}
/** Network of the containers. */
export type ContainerNetwork = ReturnType<typeof networkFor>

/** Addresses from which a container asks others; those of this machine on the host's network. */
export async function containerAddresses(docker: Docker, id: string | null): Promise<string[]> {
  if (id === null) return []
  const { HostConfig, NetworkSettings } = await docker.getContainer(id).inspect()
  if (HostConfig.NetworkMode === 'host') return ownAddresses()
  return Object.values(NetworkSettings.Networks).flatMap((network) =>
    [network.IPAddress, network.GlobalIPv6Address].flatMap((text) => normalAddress(text) ?? []),
  )
}
