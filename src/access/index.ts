import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'
import { accountRoutes } from './accounts/routes.ts'
import { alphaKeyRoutes } from './alpha-api-keys/routes.ts'
import { alphaAuthRoutes } from './alpha-auth/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { guestRoutes } from './guest/routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { accountSetupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { themeRoutes } from './themes/routes.ts'

export const accessGroup = (deps: RouteDeps) =>
  new Elysia({ name: 'access' })
    .use(signInRoutes(deps))
    .use(accountSetupRoutes(deps))
    .use(accountRoutes(deps))
    .use(apiKeyRoutes(deps))
    .use(alphaKeyRoutes(deps))
    .use(alphaAuthRoutes(deps))
    .use(guestRoutes(deps))
    .use(sessionRoutes(deps))
    .use(preferenceRoutes(deps))
    .use(themeRoutes(deps))
    .use(auditRoutes(deps))
