import type { ActivityShare } from '../../core/live/activity.ts'
import type { Activities } from '../../core/live/events.ts'
import type { LiveSession } from './state.ts'

const entry = (domain: string, key: string, aspect: string, isActive = true) => ({
  domain,
  key,
  aspect,
  isActive,
  activeCount: isActive ? 1 : 0,
})

/** A session, its run while it lasts and after its end, and the sign-in of a platform's first account. */
function activitiesOf({ id, platform, accountId, ...session }: LiveSession): Activities {
  const { run, lastRun, isPersistent, authState } = session
  const own = [entry('prefillSession', id, 'present')]
  if (run !== null || lastRun !== null) {
    own.push(entry('prefillSession', id, 'downloading', run !== null))
  }
  if (!isPersistent || accountId !== null) return own
  own.push(entry('persistentContainer', platform, 'running'))
  if (authState === 'Authenticated') {
    own.push(entry('persistentContainer', platform, 'authenticated'))
  }
  return own
}

/** Prefill in the snapshot of what is active; lost sessions are in it no more. */
export function prefillActivity(sessions: readonly LiveSession[]): ActivityShare {
  const active = sessions.filter(({ status }) => status === 'Active')
  const of = (isOwners: boolean) =>
    active.filter((session) => session.isOwners === isOwners).flatMap(activitiesOf)
  return { activities: of(false), ofOwner: of(true) }
}
