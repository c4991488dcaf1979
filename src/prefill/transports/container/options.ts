import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { serverAddressText } from '../../../core/lib/cache-network.ts'
import type { CacheAddress, SessionSpec } from '../contract.ts'
import { containerName, labels, volumeName } from './names.ts'
import type { ContainerNetwork } from './network.ts'

/** Where the published images read settings from, and keep their login. */
const inside = { commands: '/commands', responses: '/responses', config: '/app/Config' } as const
/**
 * A daemon needs no privilege: it reads from the cache and writes into its own folders. Manifests of
 * the largest games take some hundred MiB.
 */
const confinement = {
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  Memory: 2 * 1024 ** 3,
  PidsLimit: 512,
}
export const socketName = 'daemon.sock'
/** Names of the daemon's environment that are read back from a container. */
export const variables = {
  secret: 'PREFILL_SOCKET_SECRET',
  tcpPort: 'PREFILL_TCP_PORT',
  cacheAddress: 'LANCACHE_IP',
} as const

export interface ContainerPlan {
  spec: SessionSpec
  image: string
  installation: string
  secret: string
  cache: CacheAddress
  /** Known only for a configured address; else the usual one. */
  cachePort: number
  network: ContainerNetwork
  /** Folder of the session as the engine sees it. */
  hostFolder: string
  /** Null: a socket in the session's folder. */
  tcp: { port: number; hostPort: number | null } | null
}

export const nameOf = (spec: SessionSpec): string =>
  containerName(spec, spec.isPersistent ? null : spec.sessionId)

function environment({ spec, secret, cache, cachePort, tcp }: ContainerPlan): string[] {
  const transport: Record<string, string> =
    tcp === null
      ? {
          PREFILL_USE_SOCKET: 'true',
          PREFILL_SOCKET_PATH: `${inside.responses}/${socketName}`,
          // Our user may be another one than the daemon's; only we can enter the folder.
          PREFILL_SOCKET_MODE: '666',
        }
      : { [variables.tcpPort]: String(tcp.port) }
  const lifetime = spec.maxLifetimeSeconds
  const values: Record<string, string> = {
    PREFILL_COMMANDS_DIR: inside.commands,
    PREFILL_RESPONSES_DIR: inside.responses,
    [variables.secret]: secret,
    ...transport,
    ...(lifetime === null ? {} : { PREFILL_MAX_LIFETIME_SECONDS: String(lifetime) }),
    ...(cache.address !== null && {
      [variables.cacheAddress]: serverAddressText({ host: cache.address, port: cachePort }),
    }),
  }
  return Object.entries(values).map(([name, value]) => `${name}=${value}`)
}

const labelsOf = ({ spec, installation, cache }: ContainerPlan): Record<string, string> => ({
  [labels.installation]: installation,
  [labels.service]: spec.platform,
  [labels.sessionId]: spec.sessionId,
  [labels.userId]: spec.userId,
  [labels.cacheSource]: cache.source,
  ...(spec.isPersistent ? { [labels.persistent]: 'true' } : {}),
  ...(spec.accountId === null ? {} : { [labels.account]: spec.accountId }),
})

function binds({ spec, installation, hostFolder }: ContainerPlan): string[] {
  const folders = [
    `${join(hostFolder, 'commands')}:${inside.commands}`,
    `${join(hostFolder, 'responses')}:${inside.responses}`,
  ]
  return spec.isPersistent
    ? [...folders, `${volumeName(spec, installation)}:${inside.config}`]
    : folders
}

function published({
  network,
  tcp,
}: ContainerPlan): Pick<Docker.ContainerCreateOptions, 'ExposedPorts'> &
  Pick<Docker.HostConfig, 'PortBindings'> {
  if (tcp === null || network.isHost) return {}
  const key = `${tcp.port}/tcp`
  const binding = { HostIp: '127.0.0.1', HostPort: String(tcp.hostPort ?? '') }
  return { PortBindings: { [key]: [binding] }, ExposedPorts: { [key]: {} } }
}

/**
 * A kernel without IPv6 has no such setting, and a container that sets it does not start there.
 */
const hasIpv6 = () => existsSync('/proc/sys/net/ipv6/conf/all/disable_ipv6')

/** Body of the request that creates a session's container. */
export function createOptions(plan: ContainerPlan): Docker.ContainerCreateOptions {
  const { spec, network, image } = plan
  const { ExposedPorts, ...ports } = published(plan)
  const name = nameOf(spec)
  return {
    name,
    Image: image,
    Cmd: ['daemon'],
    Env: environment(plan),
    Labels: labelsOf(plan),
    // Two platforms encrypt their login with the host name, which is otherwise new every time.
    ...(spec.isPersistent ? { Hostname: name } : {}),
    ...(ExposedPorts === undefined ? {} : { ExposedPorts }),
    HostConfig: {
      AutoRemove: false,
      ...confinement,
      Binds: binds(plan),
      NetworkMode: network.mode,
      ...(network.dns === null ? {} : { Dns: [network.dns] }),
      // The cache answers on IPv4; over IPv6 a daemon would pass it by.
      ...(network.isHost || !hasIpv6()
        ? {}
        : { Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' } }),
      ...ports,
    },
  }
}
