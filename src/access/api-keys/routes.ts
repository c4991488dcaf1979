import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, Flag, Text } from '../../core/http/schema.ts'
import { clearedSessionLine } from '../sign-in/session-cookies.ts'
import { keyStatus, regenerateKey } from './service.ts'

const KeyStatus = Type.Object({ hasApiKey: Flag, keyType: Text, hasPrimaryKey: Flag })
const FreshKey = Type.Object({ success: Flag, apiKey: Text, message: Text, warning: Text })

export const apiKeyRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/api-keys')
    .get('/status', ({ request }) => keyStatus(deps, request), {
      access: 'account',
      response: { 200: KeyStatus },
      detail: { summary: 'Whether the request carries the installation key' },
    })
    .post(
      '/regenerate',
      ({ caller, request, set }) => {
        const apiKey = regenerateKey(deps, caller, request)
        set.headers['set-cookie'] = clearedSessionLine(deps, request)
        set.headers['cache-control'] = 'no-store'
        return {
          success: true,
          apiKey,
          message: 'The installation key was replaced',
          warning:
            'It is shown only once. Browsers must sign in with it; widgets and calendars need new tokens.',
        }
      },
      {
        access: 'owner',
        limit: 'auth',
        response: { 200: FreshKey, 403: ErrorBody },
        detail: { summary: 'Replace the installation key and end every session' },
      },
    )
