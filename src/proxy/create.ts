import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { signalContainer } from './container-nginx.ts'
import type { ProxyControl, ReopenAvailability, ReopenOutcome } from './contract.ts'
import { openContainerEngine } from './engine.ts'
import { containerCommand, findTarget, hostCommand } from './find-target.ts'

/** How long an answer about what is possible holds. */
const availabilityMs = 30_000

export interface ProxyControlParts {
  config: Pick<Config, 'containers' | 'datasources' | 'logRotation'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  /** Where processes are listed. */
  proc?: string
}

/** Talks to nginx through the container engine, else by a signal to a process we can see. */
export function createProxyControl(parts: ProxyControlParts): ProxyControl {
  const { config, clock, log, proc = '/proc' } = parts
  const { isEnabled } = config.logRotation
  const search = { config, log, proc }
  let known: { atMs: number; availability: Promise<ReopenAvailability> } | null = null

  async function look(): Promise<ReopenAvailability> {
    const target = await findTarget(search)
    if (target.way === null) {
      const { hint, command } = target
      return { isEnabled, canReopen: false, way: null, target: null, hint, command }
    }
    const name = target.way === 'container' ? target.container.name : target.pids.join(', ')
    const facts = { isEnabled, canReopen: isEnabled, way: target.way, target: name }
    const byHand = target.way === 'container' ? containerCommand(name) : hostCommand
    return { ...facts, hint: 'none', command: isEnabled ? null : byHand }
  }

  function availability(): Promise<ReopenAvailability> {
    const nowMs = clock.now().getTime()
    if (known === null || nowMs - known.atMs >= availabilityMs) {
      known = { atMs: nowMs, availability: look() }
    }
    return known.availability
  }

  async function signal(): Promise<void> {
    const target = await findTarget(search)
    if (target.way === null) throw new Error('no nginx that could be told')
    if (target.way === 'process') {
      for (const pid of target.pids) process.kill(pid, 'SIGUSR1')
      return
    }
    const engine = await openContainerEngine(config)
    if (engine === null) throw new Error('the container engine is gone')
    await signalContainer(engine, target.container)
  }

  async function reopenLogs(): Promise<ReopenOutcome> {
    const facts = await availability()
    if (!isEnabled) return { ...facts, isDone: false, message: 'Telling the proxy is switched off' }
    try {
      await signal()
      log.info({ way: facts.way, target: facts.target }, 'the proxy was told to reopen its logs')
      return { ...facts, isDone: true, message: 'The proxy was told to reopen its logs' }
    } catch (error) {
      known = null
      log.warn({ error: String(error) }, 'the proxy was not told to reopen its logs')
      const now = await availability()
      const command = now.command ?? hostCommand
      const message = 'The proxy could not be told to reopen its logs'
      return { ...now, canReopen: false, command, isDone: false, message }
    }
  }

  return { availability, reopenLogs }
}
