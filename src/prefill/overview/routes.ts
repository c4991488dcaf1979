import { routesAt } from '../../core/http/access.ts'
import type { Caller } from '../../core/caller.ts'
import { hidesOwners, type PrefillRouteParts } from '../parts.ts'
import { platformFacts, platforms, type Platform } from '../../platforms/platforms.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Availability } from './availability.ts'
import { problemOf } from './problems.ts'
import { PlatformStates, type PlatformState } from './model.ts'

/** How every platform is run, and whether that works now. */
export const overviewRoutes = (
  { access, transports }: PrefillRouteParts,
  { sessions, availability }: { sessions: Pick<Sessions, 'all'>; availability: Availability },
) => {
  const isShown = (caller: Caller, isOwners: boolean) => !isOwners || !hidesOwners(caller)
  async function stateOf(caller: Caller, platform: Platform): Promise<PlatformState> {
    const state = await availability.state(platform)
    const own = sessions.all().filter((one) => one.platform === platform)
    return {
      platform,
      transport: transports[platform].kind,
      isAvailable: state === 'ready' || state === 'busy',
      state,
      problem: problemOf(platform, state),
      needsLogin: platformFacts[platform].needsLogin,
      activeSessions: own.filter((one) => isShown(caller, one.isOwners)).length,
    }
  }
  return routesAt(access, 'Prefill').get(
    '/api/ext/prefill/platforms',
    async ({ caller }) => {
      const states = platforms.map((platform) => stateOf(caller, platform))
      return { platforms: await Promise.all(states) }
    },
    {
      access: 'prefill:any',
      response: { 200: PlatformStates },
      detail: { summary: 'Transport and availability of every platform' },
    },
  )
}
