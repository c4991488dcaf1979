import { randomBytes } from 'node:crypto'
import type Docker from 'dockerode'
import { isInContainer } from '../../../cache/contract.ts'
import { serverHost } from '../../../core/lib/dns-servers.ts'
import { findPeers } from '../../cache-address/peers.ts'
import type { Platform } from '../../../platforms/platforms.ts'
import { type RunningDaemon, secretName, type SessionSpec, TransportError } from '../contract.ts'
import { addressOf } from './adopt.ts'
import { createContainer, removeContainer } from './create.ts'
import { makeFolders, removeFolders, sessionFolder, socketPath } from './folders.ts'
import { provideImage } from './images.ts'
import { networkFor } from './network.ts'
import { type ContainerPlan, createOptions, nameOf } from './options.ts'
import { hostBasePath, ownContainerIds } from './own-container.ts'
import type { ContainerParts } from './parts.ts'
import { startContainer } from './start.ts'

/** Where sockets cannot be shared with containers, TCP is used instead. */
const canShareSockets = process.platform !== 'win32'

/** Pauses, milliseconds: before each attempt to use a name again, and until a start is judged. */
const pausesMs = { retryMs: 1000, settleMs: 1000 }

const noImage = (platform: Platform) => {
  const key = `${platform.charAt(0).toUpperCase()}${platform.slice(1)}`
  return `No image is configured: name that of the daemon in Prefill__${key}DockerImage`
}

/**
 * A persistent session keeps its secret for the next container: one of the published images encrypts
 * its sign-in with it.
 */
function secretOf(credentials: ContainerParts['credentials'], spec: SessionSpec): string {
  const { isPersistent } = spec
  const kept = isPersistent ? credentials.read(secretName(spec)) : null
  if (kept?.state === 'kept') return kept.secret
  const fresh = randomBytes(32).toString('hex').toUpperCase()
  if (isPersistent) credentials.keep(secretName(spec), fresh)
  return fresh
}

/** Decides everything about a session's container, and provides its image. */
async function planFor(
  engine: Docker,
  { config, findCache, credentials, installation, pausesMs: pauses }: ContainerParts,
  { spec, signal }: { spec: SessionSpec; signal: AbortSignal },
): Promise<ContainerPlan> {
  const { images, tcp, networkMode, ...settings } = config.prefillContainers
  const { dnsServer, address } = config.cacheNetwork
  const { basePath } = config.prefill
  const image = images[spec.platform]
  if (image === null) throw new TransportError('failed', noImage(spec.platform))
  const cache = await findCache(signal)
  const network = networkFor(
    // The engine takes no ports.
    { networkMode, dnsServer: dnsServer === null ? null : serverHost(dnsServer) },
    await findPeers(engine),
  )
  const paths = { dataPath: config.dataPath, basePath, hostDataPath: settings.hostDataPath }
  const own = { isInContainer: isInContainer(), ids: ownContainerIds() }
  const hostBase = await hostBasePath(engine, paths, own)
  await provideImage(engine, image, pauses?.renewalMs)
  return {
    spec,
    image,
    installation,
    secret: secretOf(credentials, spec),
    cache,
    cachePort: address?.port ?? 80,
    network,
    hostFolder: sessionFolder(hostBase, spec.sessionId),
    tcp: (tcp.isUsed ?? !canShareSockets) ? { port: tcp.port, hostPort: tcp.hostPort } : null,
  }
}

async function run(
  engine: Docker,
  parts: ContainerParts,
  plan: ContainerPlan,
  signal: AbortSignal,
) {
  const { spec, secret, tcp, cache, installation } = plan
  const { basePath } = parts.config.prefill
  const { retryMs, settleMs } = parts.pausesMs ?? pausesMs
  const name = nameOf(spec)
  const options = { ...createOptions(plan), name }
  const container = await createContainer(engine, options, { installation, retryMs, signal })
  try {
    const state = await startContainer(container, { secret, settleMs })
    signal.throwIfAborted()
    const address = addressOf(state, {
      tcpPort: tcp === null ? undefined : String(tcp.port),
      path: socketPath(basePath, spec.sessionId),
      tcpHost: parts.config.prefillContainers.tcp.host,
    })
    if (address === null) {
      throw new TransportError('failed', 'The container engine did not publish the port')
    }
    const { platform, accountId, sessionId } = spec
    const own = { platform, accountId, sessionId, name, containerId: container.id }
    return { ...own, address, secret, cache }
  } catch (error) {
    await removeContainer(engine, container.id)
    throw error
  }
}

/** Longest path that a unix socket can have, in bytes. */
const socketPathBytesMax = 107

/** Creates and starts the container of a session; leaves nothing behind when that fails. */
export async function launch(
  engine: Docker,
  parts: ContainerParts,
  request: { spec: SessionSpec; signal: AbortSignal },
): Promise<RunningDaemon> {
  const { sessionId } = request.spec
  const { basePath } = parts.config.prefill
  const plan = await planFor(engine, parts, request)
  if (
    plan.tcp === null &&
    Buffer.byteLength(socketPath(basePath, sessionId)) > socketPathBytesMax
  ) {
    throw new TransportError('failed', 'The path of the data folder is too long for a socket')
  }
  makeFolders(basePath, sessionId)
  try {
    return await run(engine, parts, plan, request.signal)
  } catch (error) {
    removeFolders(basePath, sessionId, parts.log)
    throw error
  }
}
