import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'

export const hubRoutes = (_deps: RouteDeps) => new Elysia({ name: 'live' })
