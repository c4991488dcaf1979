import type { Config } from '../config.ts'
import type { Logger } from '../lib/log.ts'
import { findNginxContainer, type NginxContainer } from './container-nginx.ts'
import type { ReopenHint } from './contract.ts'
import { hasContainerEngine, openContainerEngine } from './engine.ts'
import { canSignal, isInContainer, nginxMasters } from './host-nginx.ts'

/** What to type where the proxy runs, when we may not do it. */
export const hostCommand = 'sudo nginx -s reopen'
export const containerCommand = (name: string | null) =>
  `docker exec ${name ?? 'monolithic'} nginx -s reopen`

/** How the proxy can be told, or what would make it possible. */
export type Target =
  | { way: 'container'; container: NginxContainer }
  | { way: 'process'; pids: number[] }
  | { way: null; hint: ReopenHint; command: string }

const no = (hint: ReopenHint, command: string): Target => ({ way: null, hint, command })

export interface SearchParts {
  config: Pick<Config, 'containers' | 'datasources'>
  log: Pick<Logger, 'warn'>
  /** Where processes are listed. */
  proc: string
}

async function containerOf({ config, log }: SearchParts): Promise<NginxContainer | null> {
  try {
    const engine = await openContainerEngine(config)
    const name = config.containers.proxyName
    return engine === null ? null : await findNginxContainer(engine, name)
  } catch (error) {
    log.warn({ error: String(error) }, 'the container engine does not answer')
    return null
  }
}

/** The container of the proxy, else the nginx processes we can see and may signal. */
export async function findTarget(parts: SearchParts): Promise<Target> {
  const { config, proc } = parts
  const { proxyName } = config.containers
  const container = await containerOf(parts)
  if (container !== null) return { way: 'container', container }
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
