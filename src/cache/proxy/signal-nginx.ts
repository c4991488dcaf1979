import type { Config } from '../../core/config.ts'
import { SignalError, signalContainer } from './container-nginx.ts'
import { openContainerEngine } from './engine.ts'
import { namesOf, oursOf, type Target } from './find-target.ts'

/** Signals every nginx of a target. Throws `SignalError`, or the engine's or system's error. */
export async function signalNginx(
  config: Pick<Config, 'containers'>,
  target: Target,
): Promise<void> {
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
