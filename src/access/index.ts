/*
 * Accounts, sessions, sign-in, guests and their defaults, keys, preferences, themes, audit trail,
 * first-run set-up. `contract.ts` is `AccessControl`: the gate in front of every route, sessions,
 * keys, lockout, audit.
 *
 * The lockout is for strangers. Wrong passwords count for the account, whichever browsers send
 * them, and lock it for browsers that never signed in to it. A browser that did (`Svc.Device.*`, a
 * signed cookie that opens nothing by itself) is locked by its own attempts alone. Attempts of
 * others therefore never lock people out of their own devices. From a new device the owner gets in
 * by recovery with the installation key.
 *
 * A rotated token replaces the old one when it is used. The response that carries it may be lost,
 * by a reload or a bad connection. Until the browser sends the new token the old one stays valid,
 * and the next status call rotates again; from the first use on it is good for 30 seconds, for
 * requests under way.
 *
 * Only the owner moves the history. The database is changed with the installation key or by the
 * owner. Everyone who has signed in with a key knows it, so once a set-up was completed (which
 * stays recorded when the owner reopens it) the change takes the owner's session; with
 * authentication off, where every visitor counts as the owner, it takes the key. Every change is
 * audited.
 *
 * A share link opens one page about one subject (`links`, `core/lib/share-pages.ts`). Its address is
 * `/s#<token>`: browsers keep the part behind the `#` to themselves, so the token reaches no log and
 * no `Referer`. The page sends it as a header, which a foreign page cannot add; the header counts
 * before the cookie. A link is a caller of its own kind: it passes no policy, and is admitted only
 * by a route that names its page and whose `:id` is its subject. `core/http/access.ts` compares both.
 * Links open no socket, because no event is meant for them; their pages ask again.
 */
import type { Elysia } from 'elysia'
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
import { linkRoutes } from './links/routes.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { oidcService } from './oidc/service.ts'
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
  const oidc = oidcService(parts)
  return {
    /** Forgets the installation's Steam account. */
    forgetSignIn: () => void alphaAuth.logout(),
    /** Whether the stored sign-in to Steam can no longer be used. */
    hasExpiredLogin: () => alphaAuth.hasExpired(),
    start() {
      // Remove what relied on the replaced installation key.
      parts.control.onKeyRotated(() => parts.control.links.clear())
      parts.control.onKeyRotated(() => void alphaKeys.remove())
      parts.control.onKeyRotated(() => void alphaAuth.logout())
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(signInRoutes(deps))
        .use(accountSetupRoutes(deps))
        .use(accountRoutes(deps))
        .use(oidcRoutes(deps, oidc))
        .use(apiKeyRoutes(deps))
        .use(alphaKeyRoutes(deps, alphaKeys))
        .use(alphaAuthRoutes(deps, alphaAuth))
        .use(guestRoutes(deps))
        .use(linkRoutes(deps))
        .use(sessionRoutes(deps))
        .use(preferenceRoutes(deps))
        .use(defaultsRoutes(deps))
        .use(themeRoutes(deps))
        .use(auditRoutes(deps))
    },
  }
}

export type AccessGroup = ReturnType<typeof createAccessGroup>
