import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'
import { infoRoutes } from './info/routes.ts'

export const cacheGroup = (deps: RouteDeps) => new Elysia({ name: 'cache' }).use(infoRoutes(deps))
