import type { Caller } from '../core/caller.ts'
import { passes } from '../core/http/access.ts'
import { AppError } from '../core/http/errors.ts'
import type { KeyCheck } from './api-keys/key-check.ts'

/**
 * Restricts `/reference` and the OpenAPI documents to administrators and requests with the
 * installation key. A browser without a session is redirected to the sign-in page.
 */
export const documentGuard =
  (identify: (request: Request) => Caller, keys: KeyCheck) =>
  async (request: Request): Promise<Response | undefined> => {
    const caller = identify(request)
    if (passes(caller, 'admin')) return undefined
    const isKeyRight = keys.check(request, { bearer: false })
    if (isKeyRight === true) return undefined
    if (isKeyRight === false) throw new AppError('unauthenticated')
    if (caller.kind === 'session') throw new AppError('forbidden')
    const isBrowser = request.headers.get('accept')?.includes('text/html') ?? false
    if (!isBrowser) throw new AppError('unauthenticated')
    return new Response(null, { status: 302, headers: { Location: '/' } })
  }
