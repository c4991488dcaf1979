import type { PrefillParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { PlatformState } from './model.ts'

/** How often platforms without a sign-in are asked whether they can prefill. */
const checkMs = 60_000
/** They count as connected when sessions can be started; others have a sign-in that says so. */
const checked = ['gamma', 'delta'] as const

export type Availability = ReturnType<typeof createAvailability>

/** Whether the platforms can prefill now. */
export function createAvailability(
  { transports, timers, activity }: PrefillParts,
  sessions: Pick<Sessions, 'all'>,
) {
  const connected = new Set<Platform>()
  let cancelCheck: (() => void) | null = null
  let isStopped = false

  /** A daemon outside that sessions use answers; it is not asked beside them. */
  function stateInUse(platform: Platform): 'ready' | 'busy' | null {
    const users = sessions
      .all()
      .filter(
        (one) => one.platform === platform && one.status === 'Active' && one.transport.isShared,
      )
    if (users.length === 0) return null
    return users.some(({ run }) => run !== null) ? 'busy' : 'ready'
  }

  async function state(platform: Platform): Promise<PlatformState['state']> {
    const transport = transports[platform]
    const inUse = stateInUse(platform)
    if (inUse !== null) return inUse
    if (transport.state !== undefined) return transport.state()
    return (await transport.isAvailable()) ? 'ready' : 'noRuntime'
  }

  async function check(): Promise<void> {
    for (const platform of checked) {
      const found = await state(platform)
      if (found === 'ready' || found === 'busy') connected.add(platform)
      else connected.delete(platform)
    }
    // The question may outlast the service, and with it the stores that the snapshot reads.
    if (isStopped) return
    activity.update()
    cancelCheck = timers.after(checkMs, () => void check())
  }

  activity.add(() => ({
    activities: platforms
      .filter((platform) => connected.has(platform))
      .map((key) => ({
        domain: 'integration',
        key,
        aspect: 'connected',
        isActive: true,
        activeCount: 1,
      })),
  }))
  return {
    state,
    start: () => void check(),
    stop(): void {
      isStopped = true
      cancelCheck?.()
    },
  }
}
