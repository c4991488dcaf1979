import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'

export const downloadsGroup = (_deps: RouteDeps) => new Elysia({ name: 'downloads' })
