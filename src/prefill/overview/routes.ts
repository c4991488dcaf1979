import { Elysia } from 'elysia'
import type { Caller } from '../../core/caller.ts'
import { hidesOwners, type PrefillRouteParts } from '../parts.ts'
import { platformFacts, platforms, type Platform } from '../platforms.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { PlatformStates, type PlatformState } from './model.ts'

/** How every platform is run, and whether that works now. */
export const overviewRoutes = (
  { access, transports }: PrefillRouteParts,
  { sessions }: { sessions: Pick<Sessions, 'all'> },
) => {
  const isShown = (caller: Caller, isOwners: boolean) => !isOwners || !hidesOwners(caller)
  const stateOf = async (caller: Caller, platform: Platform): Promise<PlatformState> => ({
    platform,
    transport: transports[platform].kind,
    isAvailable: await transports[platform].isAvailable(),
    needsLogin: platformFacts[platform].needsLogin,
    activeSessions: sessions
      .all()
      .filter((one) => one.platform === platform && isShown(caller, one.isOwners)).length,
  })
  return new Elysia({ name: 'prefill/overview', tags: ['Prefill'] }).use(access).get(
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
