import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'

export const cacheGroup = (_deps: RouteDeps) => new Elysia({ name: 'cache' })
