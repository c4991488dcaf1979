import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'
import { accountSetupRoutes } from './setup/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

export const accessGroup = (deps: RouteDeps) =>
  new Elysia({ name: 'access' }).use(signInRoutes(deps)).use(accountSetupRoutes(deps))
