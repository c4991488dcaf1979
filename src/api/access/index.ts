import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'

export const accessGroup = (_deps: RouteDeps) => new Elysia({ name: 'access' })
