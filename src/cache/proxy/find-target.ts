import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { findProxyContainers, type ProxyContainer } from './containers.ts'
import type { ReopenAvailability, ReopenHint } from '../../engines/proxy/contract.ts'
import { hasContainerEngine, openContainerEngine } from './engine.ts'
import { canSignal, isInContainer, nginxMasters } from './host-nginx.ts'

/** The command to run on the proxy's host when we are not permitted to. */
const hostCommand = 'sudo nginx -s reopen'
const containerCommand = (name: string | null) =>
  `docker exec ${name ?? 'monolithic'} nginx -s reopen`

export const namesOf = (containers: readonly ProxyContainer[]): string =>
  containers.map(({ name }) => name).join(', ')

/** The relevant ones: those that mount our folders, when that is known. */
export function oursOf(containers: ProxyContainer[]): ProxyContainer[] {
  const ours = containers.filter(({ seesOurs }) => seesOurs)
  return ours.length > 0 ? ours : containers
}

/** How to signal the proxy, or what is missing for it. */
export type Target =
  | { way: 'container'; containers: ProxyContainer[] }
  | { way: 'process'; pids: number[] }
  | { way: null; hint: ReopenHint; command: string }

const no = (hint: ReopenHint, command: string): Target => ({ way: null, hint, command })

export interface SearchParts {
  config: Pick<Config, 'containers' | 'datasources'>
  log: Pick<Logger, 'warn'>
  /** The proc file system. */
  proc: string
}

async function containersOf({ config, log }: SearchParts): Promise<ProxyContainer[]> {
  try {
    const engine = await openContainerEngine(config)
    return engine === null ? [] : await findProxyContainers(engine, config)
  } catch (error) {
    log.warn({ error: String(error) }, 'the container engine does not answer')
    return []
  }
}

/** The proxy's containers, else the nginx processes that we can see and may signal. */
export async function findTarget(parts: SearchParts): Promise<Target> {
  const { config, proc } = parts
  const { proxyName } = config.containers
  const containers = await containersOf(parts)
  if (containers.length > 0) return { way: 'container', containers }
  const folders = config.datasources.map(({ logPath }) => logPath)
  const masters = nginxMasters(folders, proc)
  const pids = masters.filter(canSignal)
  if (pids.length > 0) return { way: 'process', pids }
  if (masters.length > 0) return no('grantSignalPrivilege', hostCommand)
  if (proxyName !== null || (isInContainer() && !hasContainerEngine(config))) {
    return no('mountDockerSocket', containerCommand(proxyName))
  }
  return no(isInContainer() ? 'enablePidHost' : 'none', hostCommand)
}

/** Description of a target for users. */
export function describeTarget(target: Target, isEnabled: boolean): ReopenAvailability {
  if (target.way === null) {
    const { hint, command } = target
    return { isEnabled, canReopen: false, way: null, target: null, hint, command }
  }
  const commandOf = (canReopen: boolean) => (canReopen ? null : commandByHand(target))
  if (target.way === 'process') {
    const facts = { way: 'process', target: target.pids.join(', '), hint: 'none' } as const
    return { isEnabled, canReopen: isEnabled, ...facts, command: commandOf(isEnabled) }
  }
  const ours = oursOf(target.containers)
  const canReopen = isEnabled && !ours.some(({ isPaused }) => isPaused)
  const facts = { way: 'container', target: namesOf(ours), hint: 'none' } as const
  return { isEnabled, canReopen, ...facts, command: commandOf(canReopen) }
}

/** The manual command for a target. */
export function commandByHand(target: Target): string {
  if (target.way === null) return target.command
  if (target.way === 'process') return hostCommand
  const ours = oursOf(target.containers)
  const paused = ours.find(({ isPaused }) => isPaused)
  if (paused !== undefined) return `docker unpause ${paused.name}`
  return containerCommand(ours[0]?.name ?? null)
}
