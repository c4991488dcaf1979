import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { Empty } from '../../core/http/schema.ts'
import { version } from '../../core/lib/version.ts'
import { createReadiness } from './readiness.ts'

const Readiness = Type.Object({
  isReady: Type.Boolean(),
  notReady: Type.Array(Type.String(), { description: 'Names of the parts that do not work' }),
})

/** Empty bodies; the information is in the headers. */
export const healthRoutes = (deps: SystemRouteParts) => {
  const status = () => (deps.settings.get('setup.isCompleted') ? 'healthy' : 'setup-required')
  const readiness = createReadiness(deps)
  const answer = () =>
    new Response(null, {
      headers: {
        'Cache-Control': 'no-store',
        'X-Service-Version': version,
        'X-Service-Status': status(),
      },
    })
  return routesAt(deps.access, 'System')
    .get('/health', answer, {
      access: 'public',
      response: { 200: Empty },
      detail: { summary: 'Whether the service answers; its state is in the headers' },
    })
    .get(
      '/health/ready',
      async ({ set, status: respond }) => {
        const notReady = await readiness()
        set.headers['cache-control'] = 'no-store'
        return respond(notReady.length === 0 ? 200 : 503, {
          isReady: notReady.length === 0,
          notReady,
        })
      },
      {
        access: 'public',
        response: { 200: Readiness, 503: Readiness },
        detail: { hide: true, summary: 'Whether every part works; 503 names those that fail' },
      },
    )
    .get('/api/version', answer, {
      access: 'public',
      response: { 200: Empty },
      detail: { summary: 'Version of the service, in the headers' },
    })
}
