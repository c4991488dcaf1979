import type Docker from 'dockerode'
import { normalAddress } from '../../core/lib/address.ts'
import { environmentOf } from './containers.ts'

/** A running container of the caching stack. */
export interface StackContainer {
  isDns: boolean
  /** In the container engine's networks. */
  addresses: string[]
  /** Values may be secret, so they are read by name and never shown. */
  environment: ReadonlyMap<string, string>
}

/** Containers inspected; a stack has a handful. */
const containersMax = 20
const stackImage = /(?:^|\/)(?:lancache-dns|monolithic|[^/]*lancache[^/]*)(?::|@|$)/i
const dnsImage = /dns/i

/** The caching stack's running containers. Throws the engine's errors. */
export async function findStackContainers(engine: Docker): Promise<StackContainer[]> {
  const running = (await engine.listContainers()).filter(({ Image }) => stackImage.test(Image))
  const found: StackContainer[] = []
  for (const { Id, Image } of running.slice(0, containersMax)) {
    try {
      const { Config, NetworkSettings } = await engine.getContainer(Id).inspect()
      const networks = Object.values(NetworkSettings.Networks)
      found.push({
        isDns: dnsImage.test(Image),
        addresses: networks.flatMap(({ IPAddress }) => normalAddress(IPAddress) ?? []),
        environment: environmentOf(Config.Env ?? []),
      })
    } catch (error) {
      // Removed since it was listed.
      if ((error as { statusCode?: number }).statusCode !== 404) throw error
    }
  }
  return found
}
