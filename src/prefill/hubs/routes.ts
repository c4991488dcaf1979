import { Elysia } from 'elysia'
import { hubRoute } from '../../core/http/hub-routes.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { platformFacts, platforms } from '../../platforms/platforms.ts'
import type { Hubs } from './create.ts'

/** The hub of every platform, for account holders and for guests with a grant. */
export function platformHubRoutes({ access, users }: PrefillRouteParts, hubs: Hubs) {
  const all = new Elysia({ name: 'prefill/hubs' })
  for (const platform of platforms) {
    const route = hubRoute(
      { access },
      {
        path: platformFacts[platform].hubPath,
        policy: `prefill:${platform}`,
        hub: hubs[platform].live,
        expiresAt: (userId) => users.rightEndsAt(userId, platform),
      },
    )
    all.use(route)
  }
  return all
}
