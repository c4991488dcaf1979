import { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { accountRoutes } from './accounts/routes.ts'
import { alphaKeyRoutes } from './alpha-api-keys/routes.ts'
import { alphaKeyService } from './alpha-api-keys/service.ts'
import { alphaAuthRoutes } from './alpha-auth/routes.ts'
import { alphaAuthService } from './alpha-auth/service.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { defaultsRoutes } from './defaults/routes.ts'
import { guestRoutes } from './guest/routes.ts'
import type { AccessParts } from './parts.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { accountSetupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { themeRoutes } from './themes/routes.ts'

/** Access control: accounts, sessions, guests, keys, preferences and their defaults, themes. */
export function createAccessGroup(parts: AccessParts) {
  const alphaKeys = alphaKeyService(parts)
  const alphaAuth = alphaAuthService(parts)
  return {
    /** Forgets the installation's Steam account. */
    forgetSignIn: () => void alphaAuth.logout(),
    /** Whether the stored sign-in to Steam can no longer be used. */
    hasExpiredLogin: () => alphaAuth.hasExpired(),
    start() {
      // Remove what relied on the replaced installation key.
      parts.control.onKeyRotated(() => void alphaKeys.remove())
      parts.control.onKeyRotated(() => void alphaAuth.logout())
    },
    routes(access: RouteAccess) {
      const deps = { ...parts, ...access }
      return new Elysia({ name: 'access' })
        .use(signInRoutes(deps))
        .use(accountSetupRoutes(deps))
        .use(accountRoutes(deps))
        .use(apiKeyRoutes(deps))
        .use(alphaKeyRoutes(deps, alphaKeys))
        .use(alphaAuthRoutes(deps, alphaAuth))
        .use(guestRoutes(deps))
        .use(sessionRoutes(deps))
        .use(preferenceRoutes(deps))
        .use(defaultsRoutes(deps))
        .use(themeRoutes(deps))
        .use(auditRoutes(deps))
    },
  }
}

export type AccessGroup = ReturnType<typeof createAccessGroup>
