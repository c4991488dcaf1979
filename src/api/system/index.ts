import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'

export const systemGroup = (_deps: RouteDeps) => new Elysia({ name: 'system' })
