import { Elysia } from 'elysia'
import type { RouteDeps } from '../../../deps.ts'
import { Empty } from '../../../http/schema.ts'
import { version } from '../../../lib/version.ts'

/** Empty answers; what there is to know stands in the headers. */
export const healthRoutes = (deps: RouteDeps) => {
  const status = () => (deps.settings.get('setup.isCompleted') ? 'healthy' : 'setup-required')
  const answer = () =>
    new Response(null, {
      headers: {
        'Cache-Control': 'no-store',
        'X-Service-Version': version,
        'X-Service-Status': status(),
      },
    })
  return new Elysia({ name: 'system/health', tags: ['System'] })
    .use(deps.access)
    .get('/health', answer, {
      access: 'public',
      response: { 200: Empty },
      detail: { summary: 'Whether the service answers; its state stands in the headers' },
    })
    .get('/api/version', answer, {
      access: 'public',
      response: { 200: Empty },
      detail: { summary: 'Version of the service, in the headers' },
    })
}
