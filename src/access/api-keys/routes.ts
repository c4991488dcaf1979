import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts, AccessParts } from '../parts.ts'
import { ErrorBody, Flag, Text } from '../../core/http/schema.ts'
import { clearedSessionLine } from '../sign-in/session-cookies.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'

/** Whether this request carries the installation key in `X-Api-Key`. */
function keyStatus({ control }: AccessParts, request: Request) {
  const isValid = control.keys.check(request, { bearer: false }) === true
  return { hasApiKey: isValid, keyType: isValid ? 'admin' : 'none', hasPrimaryKey: isValid }
}

/**
 * Issues a new key. Ends everything that relied on the old one: all sessions, all accounts but the
 * owner's, and what the listeners to a rotation remove. With authentication disabled everyone is the
 * owner, so the old key must be presented.
 */
function regenerateKey({ control }: AccessParts, actor: Caller, request: Request): string {
  if (control.shared !== null && control.keys.check(request, { bearer: true }) !== true) {
    throw new AppError('refused', 'Send the current installation key to replace it')
  }
  const fresh = control.key.rotate()
  // Before the accounts: their sessions go with them, and nobody would close the sockets of these.
  control.endEverySession('keyReplaced')
  for (const { id, isOwner } of control.accounts.all()) {
    control.lockout.clear(id)
    if (!isOwner) control.accounts.delete(id)
  }
  control.audit.note('ApiKeyRotated', { actor })
  control.announceKeyRotated()
  return fresh
}

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
