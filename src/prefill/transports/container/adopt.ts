import type Docker from 'dockerode'
import type { Platform } from '../../../platforms/platforms.ts'
import type { Logger } from '../../../core/lib/log.ts'
import type { AdoptedDaemon, CacheAddressSource, DaemonAddress } from '../contract.ts'
import { removeContainer } from './create.ts'
import { statusOf } from './faults.ts'
import { removeFolders, socketPath } from './folders.ts'
import { labels } from './names.ts'
import { variables } from './options.ts'

/** Containers of one platform considered at the start. */
const containersMax = 200

export interface AdoptRules {
  installation: string
  basePath: string
  log: Logger
  /** Address of published ports. */
  tcpHost: string
}

const sourceNames = ['config', 'dns', 'dockerInspect', 'envFile', 'detected', 'none'] as const
const sessionPattern = /^[0-9a-f]{16}$/

/** All containers of this installation for one platform, running or not, the newest first. */
async function ownContainers(
  engine: Docker,
  installation: string,
  platform: Platform,
): Promise<Docker.ContainerInfo[]> {
  const label = [`${labels.installation}=${installation}`, `${labels.service}=${platform}`]
  const found = await engine.listContainers({ all: true, filters: { label } })
  return found.toSorted((a, b) => b.Created - a.Created).slice(0, containersMax)
}

/** Where a running container listens; null: its published port is not known. */
export function addressOf(
  { HostConfig, NetworkSettings }: Docker.ContainerInspectInfo,
  { tcpPort, path, tcpHost }: { tcpPort: string | undefined; path: string; tcpHost: string },
): DaemonAddress | null {
  if (tcpPort === undefined) return { kind: 'unix', path }
  const isHost = HostConfig.NetworkMode === 'host'
  const published = NetworkSettings.Ports[`${tcpPort}/tcp`]?.[0]?.HostPort
  const port = Number(isHost ? tcpPort : published)
  return Number.isInteger(port) && port > 0 ? { kind: 'tcp', host: tcpHost, port } : null
}

export function environmentOf({ Config }: Docker.ContainerInspectInfo) {
  const valueOf = (name: string) =>
    Config.Env.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
  return {
    secret: valueOf(variables.secret),
    tcpPort: valueOf(variables.tcpPort),
    cacheAddress: valueOf(variables.cacheAddress),
  }
}

const sourceOf = (text: string | undefined): CacheAddressSource =>
  sourceNames.find((name) => name === text) ?? 'none'

/** The daemon of a persistent container that still runs; null: it cannot be used any more. */
function daemonOf(
  info: Docker.ContainerInspectInfo,
  platform: Platform,
  { basePath, tcpHost }: AdoptRules,
): AdoptedDaemon | null {
  const own = info.Config.Labels
  const { secret, tcpPort, cacheAddress } = environmentOf(info)
  const sessionId = own[labels.sessionId] ?? ''
  const userId = own[labels.userId]
  const isUsable = info.State.Running && own[labels.persistent] === 'true' && userId !== undefined
  if (!isUsable || secret === undefined || !sessionPattern.test(sessionId)) return null
  const path = socketPath(basePath, sessionId)
  const address = addressOf(info, { tcpPort, path, tcpHost })
  if (address === null) return null
  return {
    platform,
    accountId: own[labels.account] ?? null,
    sessionId,
    userId,
    name: info.Name.replace(/^\//, ''),
    containerId: info.Id,
    address,
    secret,
    cache: { address: cacheAddress ?? null, source: sourceOf(own[labels.cacheSource]) },
  }
}

/** Null: gone since it was listed. */
async function inspect(engine: Docker, id: string): Promise<Docker.ContainerInspectInfo | null> {
  try {
    return await engine.getContainer(id).inspect()
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}

/**
 * Persistent daemons of an earlier process that still run, the newest first. All other containers
 * of this installation and platform are removed with their folders.
 */
export async function adoptContainers(
  engine: Docker,
  platform: Platform,
  rules: AdoptRules,
): Promise<AdoptedDaemon[]> {
  const found: AdoptedDaemon[] = []
  for (const { Id, Labels } of await ownContainers(engine, rules.installation, platform)) {
    const info = await inspect(engine, Id)
    const daemon = info === null ? null : daemonOf(info, platform, rules)
    if (daemon !== null) {
      found.push(daemon)
      continue
    }
    await removeContainer(engine, Id)
    const sessionId = Labels[labels.sessionId] ?? ''
    if (sessionPattern.test(sessionId)) removeFolders(rules.basePath, sessionId, rules.log)
  }
  return found
}
