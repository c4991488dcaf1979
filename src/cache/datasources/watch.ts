import type { Clock } from '../../core/lib/clock.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import type { Hub } from '../../core/live/contract.ts'
import type { Disk } from '../disk/contract.ts'
import type { Datasources } from './contract.ts'

/** Interval between checks while a dashboard is connected. */
const compareMs = 5000

interface Parts {
  datasources: Pick<Datasources, 'all'>
  disk: Pick<Disk, 'space'>
  hub: Pick<Hub, 'publish' | 'connectionCount'>
  clock: Clock
  timers?: Timers
}

/**
 * Publishes when a datasource's folder becomes writable, read-only, or another disk's, or can no
 * longer be read. The initial state is not published; nothing is read while no dashboard is
 * connected. Returns a function that stops it.
 */
export function watchFolders({ datasources, disk, hub, clock, timers = systemTimers }: Parts) {
  let before: string | null = null
  let isStopped = false
  let cancel = () => {}

  async function compare(): Promise<void> {
    const all = await datasources.all()
    const now = all.map(({ name, canWriteCache, canWriteLogs }) => ({
      name,
      cacheWritable: canWriteCache,
      logsWritable: canWriteLogs,
    }))
    const disks = await Promise.all(all.map(({ name }) => disk.space(name)))
    const problems = all.map(({ cacheProblem, logProblem }) => [cacheProblem, logProblem])
    const text = JSON.stringify([now, problems, disks.map(({ state }) => state)])
    if (before !== null && before !== text && !isStopped) {
      const timestamp = clock.now().toISOString()
      hub.publish('DirectoryPermissionsChanged', { timestamp, datasources: now })
    }
    before = text
  }

  function plan(): void {
    if (isStopped) return
    cancel = timers.after(compareMs, () => {
      const isWatched = hub.connectionCount() > 0
      void (isWatched ? compare() : Promise.resolve()).then(plan, plan)
    })
  }

  plan()
  return () => {
    isStopped = true
    cancel()
  }
}
