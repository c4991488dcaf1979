import { routesAt } from '../../core/http/access.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import type { CacheRouteParts } from '../parts.ts'
import { SizeCurves } from './model.ts'
import type { Sizes } from './service.ts'

export const sizeCurveRoutes = (deps: CacheRouteParts, sizes: Sizes) =>
  routesAt(deps.access, 'Cache and Games').get('/api/ext/cache/sizes', () => sizes.read(), {
    access: 'session',
    response: { 200: SizeCurves, 503: ErrorBody },
    detail: { summary: 'Share of hits that caches of other sizes would have had' },
  })
