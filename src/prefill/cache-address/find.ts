/*
 * `prefill/cache-address` takes, in this order: the setting; what the cache's DNS server answers;
 * the settings of its container and of its stack; the usual places. What nobody configured must be
 * a private address at which the cache's heartbeat answers, so that no stranger's address is
 * filled. `prefill/diagnostics` tests from inside a container what the daemon reaches, and names
 * the setting to change for each fault.
 */
import { isIPv4 } from 'node:net'
import type { Config } from '../../core/config.ts'
import { normalAddress } from '../../core/lib/address.ts'
import type { Logger } from '../../core/lib/log.ts'
import { openContainerEngine } from '../../cache/contract.ts'
import { type CacheAddress, type FindCacheAddress, TransportError } from '../transports/contract.ts'
import { findPeers, noPeers } from './peers.ts'
import * as sources from './sources.ts'

interface Parts {
  config: Pick<Config, 'containers' | 'cacheNetwork' | 'envFilePath'>
  log: Logger
  probes?: sources.Probes
}

/**
 * Finds the address of the cache that daemons are given: the configured one, else the first that
 * the cache's DNS server, its container, its settings file or the usual places show. Addresses that
 * nobody configured must be private and answer with a heartbeat; those from the stack's own
 * settings are taken as they are.
 */
export function createCacheAddress({ config, log, probes = sources.probes }: Parts) {
  const { address: cacheAddress, dnsServer } = config.cacheNetwork

  async function configured(host: string): Promise<CacheAddress> {
    const given = normalAddress(host)
    const found = given === null ? await probes.lookUp(host) : [given]
    // Containers have no IPv6.
    const address = found.find((one) => isIPv4(one)) ?? found[0]
    if (address !== undefined) return { address, source: 'config' }
    throw new TransportError(
      'failed',
      `Prefill__LancacheIp: the name ${host} has no address; correct it, or set an address`,
    )
  }

  async function surroundings() {
    try {
      const engine = await openContainerEngine(config)
      return engine === null ? null : { engine, peers: await findPeers(engine) }
    } catch (error) {
      // Never log the error itself: the engine's message may contain container settings.
      const reason = (error as { code?: string }).code ?? 'no answer'
      log.warn({ reason }, 'the container engine did not list containers')
      return null
    }
  }

  async function detected(): Promise<CacheAddress> {
    const near = await surroundings()
    const peers = near?.peers ?? noPeers
    const byDns = await sources.fromDns(probes, peers, dnsServer)
    if (byDns !== null) return { address: byDns, source: 'dns' }
    if (near !== null && peers.dns !== null) {
      const inspected = await sources.fromContainer(near.engine, peers.dns).catch(() => null)
      if (inspected !== null) return { address: inspected, source: 'dockerInspect' }
    }
    for (const path of sources.envFilesOf(peers.dns, config.envFilePath)) {
      const written = sources.fromEnvFile(path)
      if (written !== null) return { address: written, source: 'envFile' }
    }
    const places = await sources.usualPlaces(probes, peers, dnsServer)
    const address = await sources.firstCache(probes, places)
    return { address, source: address === null ? 'none' : 'detected' }
  }

  const find: FindCacheAddress = async (signal) => {
    signal?.throwIfAborted()
    return cacheAddress === null ? detected() : configured(cacheAddress.host)
  }
  return find
}
