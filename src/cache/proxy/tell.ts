import type { Config } from '../../core/config.ts'
import { CannotTell, tellContainer } from './container-nginx.ts'
import { openContainerEngine } from './engine.ts'
import { namesOf, oursOf, type Target } from './find-target.ts'

/** Signals every nginx of a target. Throws `CannotTell`, or the engine's or system's error. */
export async function tell(config: Pick<Config, 'containers'>, target: Target): Promise<void> {
  if (target.way === null) throw new CannotTell('no nginx was found')
  if (target.way === 'process') {
    for (const pid of target.pids) process.kill(pid, 'SIGUSR1')
    return
  }
  const engine = await openContainerEngine(config)
  if (engine === null) throw new CannotTell('the container engine is gone')
  const ours = oursOf(target.containers)
  const others = target.containers.filter((one) => !ours.includes(one))
  // Paths may not mean the same there, and reopening its logs harms no nginx.
  await Promise.allSettled(others.map((one) => tellContainer(engine, one)))
  const told = await Promise.allSettled(ours.map((one) => tellContainer(engine, one)))
  const failed = told.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  if (told.some((one) => one.status === 'fulfilled' && one.value)) return
  throw new CannotTell(`no nginx runs in the container ${namesOf(ours)}`)
}
