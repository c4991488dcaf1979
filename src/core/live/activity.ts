import type { LiveHub } from './contract.ts'
import type { Activities, ActivityUpdate } from './events.ts'

/** What one part of the service adds to the snapshot. */
export interface ActivityShare {
  activities: Activities
  /** Of sessions that only the owner may see. */
  ofOwner?: Activities
}

export type Activity = ReturnType<typeof createActivity>

/**
 * The snapshot of what is active, to which every part of the service adds its share. New connections
 * receive it, all others its changes.
 */
export function createActivity(hub: Pick<LiveHub, 'publish' | 'provideSnapshot'>) {
  const shares: (() => ActivityShare)[] = []
  let published: ActivityUpdate = { revision: 0, activities: [], ofOwner: [] }

  function read(): Omit<ActivityUpdate, 'revision'> {
    const all = shares.map((share) => share())
    return {
      activities: all.flatMap(({ activities }) => activities),
      ofOwner: all.flatMap(({ ofOwner = [] }) => ofOwner),
    }
  }

  /** Publishes the snapshot if it has changed. Called by a part whose share may be another one. */
  function update(): void {
    const next = { revision: published.revision, ...read() }
    if (Bun.deepEquals(next, published)) return
    published = { ...next, revision: next.revision + 1 }
    hub.publish('ActivityUpdated', published)
  }

  hub.provideSnapshot(() => {
    // Update first: a new connection must not absorb a change that the others have not received.
    update()
    return published
  })
  return { add: (share: () => ActivityShare): void => void shares.push(share), update }
}
