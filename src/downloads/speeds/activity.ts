import type { Activities } from '../../core/live/events.ts'
import type { SpeedSnapshot } from '../../engines/logs/wire.ts'
import type { DownloadsParts } from '../parts.ts'

/** Jobs by type, and downloading clients by address. */
export function currentActivities(
  operations: DownloadsParts['operations'],
  speeds: SpeedSnapshot,
): Activities {
  const jobs = new Map<string, number>()
  for (const { type, status } of operations.list()) {
    if (status === 'running' || status === 'cancelling') jobs.set(type, (jobs.get(type) ?? 0) + 1)
  }
  const operationActivities = [...jobs].map(([key, activeCount]) => ({
    domain: 'operation',
    key,
    aspect: 'running',
    isActive: true,
    activeCount,
  }))
  const downloads = speeds.clientSpeeds.map(({ clientIp, activeGames }) => ({
    domain: 'download',
    key: clientIp,
    aspect: 'downloading',
    isActive: true,
    activeCount: activeGames,
  }))
  return [...operationActivities, ...downloads]
}
