/*
 * Larder signals the proxy to reopen its logs through the container engine, otherwise by a signal
 * to an nginx process that we can see; otherwise the answer contains the command to run. A failure
 * never fails the job it belongs to, and is tried again at growing intervals until it succeeds. In
 * a container this is always a command: a signal sent by the engine counts as stopping by hand,
 * after which a crashed container is not restarted, a paused one resumes, and it reaches the first
 * process, which often is not nginx. Of several candidates all are signalled; those that see our
 * folders decide whether it worked and whose limit is used.
 */
import type { Config } from '../../core/config.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { keep } from '../../core/lib/kept.ts'
import type { Logger } from '../../core/lib/log.ts'
import { SignalError, signalContainer } from './container-nginx.ts'
import type { ProxyControl, ReopenOutcome } from '../../engines/proxy/contract.ts'
import {
  commandByHand,
  describeTarget,
  findTarget,
  namesOf,
  oursOf,
  type Target,
} from './find-target.ts'
import { openContainerEngine } from './engine.ts'

/** Signals every nginx of a target. Throws `SignalError`, or the engine's or system's error. */
async function signalNginx(config: Pick<Config, 'containers'>, target: Target): Promise<void> {
  if (target.way === null) throw new SignalError('no nginx was found')
  if (target.way === 'process') {
    for (const pid of target.pids) process.kill(pid, 'SIGUSR1')
    return
  }
  const engine = await openContainerEngine(config)
  if (engine === null) throw new SignalError('the container engine does not answer')
  const ours = oursOf(target.containers)
  const others = target.containers.filter((one) => !ours.includes(one))
  // Paths may not mean the same there, and reopening its logs harms no nginx.
  await Promise.allSettled(others.map((one) => signalContainer(engine, one)))
  const signalled = await Promise.allSettled(ours.map((one) => signalContainer(engine, one)))
  const failed = signalled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  if (signalled.some((one) => one.status === 'fulfilled' && one.value)) return
  throw new SignalError(`no nginx runs in the container ${namesOf(ours)}`)
}

/** Lifetime of an availability check. */
const availabilityMs = 30_000

export interface ProxyControlParts {
  config: Pick<Config, 'containers' | 'datasources' | 'logRotation'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  /** The proc file system. */
  proc?: string
}

/** Controls nginx through the container engine, else by a signal to a visible process. */
export function createProxyControl(parts: ProxyControlParts): ProxyControl {
  const { config, clock, log, proc = '/proc' } = parts
  const { isEnabled } = config.logRotation
  const search = { config, log, proc }
  const proxy = keep(clock, availabilityMs, async () => {
    const target = await findTarget(search)
    return { target, facts: describeTarget(target, isEnabled) }
  })
  /** Why the last attempt failed: logged once, however often it is retried. */
  let lastWarning: string | null = null

  async function reopenLogs(): Promise<ReopenOutcome> {
    const { target, facts } = await proxy.refresh()
    const failed = { ...facts, isDone: false, detail: null }
    if (!isEnabled) return { ...failed, message: 'Signalling the proxy is disabled' }
    try {
      await signalNginx(config, target)
      lastWarning = null
      log.info({ way: facts.way, target: facts.target }, 'signalled the proxy to reopen its logs')
      const message = 'The proxy was signalled to reopen its logs'
      return { ...facts, isDone: true, message, detail: null }
    } catch (error) {
      proxy.forget()
      const reason = String(error)
      if (reason !== lastWarning)
        log.warn({ error: reason }, 'could not signal the proxy to reopen its logs')
      lastWarning = reason
      // The engine's message may contain container settings.
      const detail = error instanceof SignalError ? error.message : null
      const why = detail === null ? '' : `: ${detail}`
      const message = `The proxy could not be signalled to reopen its logs${why}`
      return { ...failed, canReopen: false, command: commandByHand(target), message, detail }
    }
  }

  return { availability: async () => (await proxy.read()).facts, reopenLogs }
}
