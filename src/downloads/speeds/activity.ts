import type { DownloadsParts } from '../parts.ts'
import type { SpeedSnapshot } from '../../engines/logs/contract.ts'
import type { ActivitySnapshot } from '../../core/live/payloads.ts'

interface ActivityParts extends Pick<DownloadsParts, 'operations' | 'hub'> {
  /** Current speeds without hidden clients. */
  speeds: () => SpeedSnapshot
}

type Activities = ActivitySnapshot['activities']

/** Current activity: jobs by type, downloading clients by address. */
function observe({ operations }: ActivityParts, speeds: SpeedSnapshot): Activities {
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

/** Maintains the snapshot for new connections, and publishes its changes. */
export class ActivityFeed {
  readonly #parts: ActivityParts
  #revision = 0
  #shown = '[]'

  constructor(parts: ActivityParts) {
    this.#parts = parts
  }

  snapshot(): ActivitySnapshot {
    const activities = observe(this.#parts, this.#parts.speeds())
    const text = JSON.stringify(activities)
    if (text !== this.#shown) {
      this.#shown = text
      this.#revision++
    }
    return { revision: this.#revision, activities }
  }

  update(): void {
    const before = this.#revision
    const snapshot = this.snapshot()
    if (snapshot.revision !== before) this.#parts.hub.publish('ActivityUpdated', snapshot)
  }
}
