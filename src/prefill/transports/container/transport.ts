import type Docker from 'dockerode'
import { openContainerEngine } from '../../../cache/contract.ts'
import { within } from '../../../core/lib/within.ts'
import {
  type RunningDaemon,
  secretName,
  type Transport,
  TransportError,
  type AccountSlot,
  type LoginRemoval,
  type NetworkDiagnostics,
} from '../contract.ts'
import { adoptContainers } from './adopt.ts'
import { removeContainer, stopContainer } from './create.ts'
import { messageOf, statusOf } from './faults.ts'
import { removeFolders } from './folders.ts'
import { launch } from './launch.ts'
import { containerAddresses } from './network.ts'
import type { ContainerParts } from './parts.ts'
import { volumeName } from './names.ts'
import type { Clock } from '../../../core/lib/clock.ts'
import { adviceFor } from '../../diagnostics/advice.ts'
import { testNetwork } from '../../diagnostics/run.ts'
import { runInContainer } from './exec.ts'

/** Of one command, milliseconds. */
const commandMs = 15_000

/** Tests from inside a daemon's container what it can reach. Throws the engine's errors. */
async function diagnose(
  engine: Docker,
  { platform, containerId, cache }: RunningDaemon,
  clock: Clock,
): Promise<NetworkDiagnostics> {
  if (containerId === null) throw new TransportError('failed', 'The daemon has no container')
  const container = engine.getContainer(containerId)
  const { HostConfig } = await container.inspect()
  const facts = {
    ...(await testNetwork(platform, (command) => runInContainer(container, command, commandMs))),
    useHostNetworking: HostConfig.NetworkMode === 'host',
    lancacheIpInjected: cache.address,
    lancacheIpSource: cache.source,
  }
  return { ...facts, testedAt: clock.now().toISOString(), advice: adviceFor(facts) }
}

const outcomes = new Map<number, LoginRemoval>([
  [404, 'NotFound'],
  [409, 'InUse'],
])

/** Deletes the volume with an account's stored login. Throws the engine's errors. */
async function removeLogin(
  engine: Docker,
  slot: AccountSlot,
  installation: string,
): Promise<LoginRemoval> {
  try {
    await engine.getVolume(volumeName(slot, installation)).remove()
    return 'Removed'
  } catch (error) {
    const outcome = outcomes.get(statusOf(error))
    if (outcome === undefined) throw error
    return outcome
  }
}

/** A request is given up when the engine sends nothing for this long, milliseconds. */
const silenceMs = 60_000
const versionMs = 5000
/** Longest text of the engine in an error. */
const reasonCharsMax = 300

const proxyRefused =
  'The proxy in front of the container engine does not allow this request; allow containers, ' +
  'images, volumes, exec and POST'

/** Error of the engine in the words of the contract; texts of the engine may hold settings. */
function transportError(error: unknown, secret: string | null): unknown {
  const isOurs = error instanceof TransportError || error instanceof DOMException
  if (isOurs) return error
  const text = messageOf(error).slice(0, reasonCharsMax)
  const reason = secret === null ? text : text.replaceAll(secret, '[secret]')
  const status = statusOf(error)
  if (status === 0) {
    return new TransportError('unavailable', 'The container engine does not answer', {
      cause: error,
    })
  }
  if (status === 403) return new TransportError('unavailable', proxyRefused, { cause: error })
  return new TransportError('failed', `The container engine refused: ${reason}`, { cause: error })
}

/** Without an engine nothing of an earlier process can be reached either. */
function noneWithoutEngine(error: unknown): never[] {
  if (error instanceof TransportError && error.reason === 'unavailable') return []
  throw error
}

/** Runs each session's daemon in a container of its own, over the engine's API. */
export function createContainerTransport(parts: ContainerParts): Transport {
  const { config, log, installation, clock } = parts
  const { basePath } = config.prefill
  /** Containers that must not outlive this process, by session. */
  const temporary = new Map<string, RunningDaemon>()
  let opened: Docker | null = null

  async function engine(): Promise<Docker> {
    opened ??= await openContainerEngine(config, silenceMs)
    if (opened !== null) return opened
    throw new TransportError(
      'unavailable',
      'There is no container engine: mount its socket, or set DOCKER_HOST to its address',
    )
  }

  async function using<T>(work: (docker: Docker) => Promise<T>, secret: string | null = null) {
    try {
      return await work(await engine())
    } catch (error) {
      throw transportError(error, secret)
    }
  }

  async function discard(docker: Docker, daemon: RunningDaemon, isForced: boolean) {
    const { containerId: id, sessionId } = daemon
    if (id !== null) {
      await stopContainer(docker, id, { isForced })
      await removeContainer(docker, id)
    }
    temporary.delete(sessionId)
    removeFolders(basePath, sessionId, log)
  }

  const transport: Transport = {
    kind: 'container',
    isShared: false,
    outlivesService: true,
    async isAvailable() {
      const answered = engine().then(async (docker) => Boolean(await docker.version()))
      return within(answered, versionMs, false)
    },
    start: (spec, signal) =>
      using(async (docker) => {
        const daemon = await launch(docker, parts, { spec, signal })
        if (!spec.isPersistent) temporary.set(spec.sessionId, daemon)
        return daemon
      }),
    remove: (daemon, { isForced }) =>
      using((docker) => discard(docker, daemon, isForced), daemon.secret),
    // Waits for a slow engine, as it may be while the machine starts: that must not cost a session.
    adopt(platform) {
      const rules = { installation, basePath, tcpHost: config.prefillContainers.tcp.host, log }
      return using((docker) => adoptContainers(docker, platform, rules)).catch(noneWithoutEngine)
    },
    addressesOf: ({ containerId: id }) => using(async (docker) => containerAddresses(docker, id)),
    async removeLogin(slot) {
      if (!(await transport.isAvailable())) return 'DockerUnavailable'
      const removed = await using((docker) => removeLogin(docker, slot, installation))
      if (removed !== 'InUse') parts.credentials.forget(secretName(slot))
      return removed
    },
    diagnose: (daemon) => using((docker) => diagnose(docker, daemon, clock), daemon.secret),
    async stop() {
      const left = [...temporary.values()]
      const removals = left.map((daemon) => transport.remove(daemon, { isForced: true }))
      for (const { status } of await Promise.allSettled(removals)) {
        // The next start finds it by its labels.
        if (status === 'rejected') log.warn('a prefill container could not be removed')
      }
    },
  }

  return transport
}
