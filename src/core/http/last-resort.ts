import type { Logger } from '../lib/log.ts'
import { unexpected } from './errors.ts'
import { securityHeaders } from './headers.ts'
import type { Handle } from './wrap-request.ts'

/**
 * Answers a request whose handling failed outside the framework's error handler, or in it: 500 as JSON
 * with one log line, instead of the runtime's page, which shows source code unless NODE_ENV is set.
 */
export const lastResort = (log: Logger) => (handle: unknown) => async (request: Request) => {
  try {
    // Elysia types the wrapped handler as a bare Function.
    return await (handle as Handle)(request)
  } catch (error) {
    return unexpected(error, request, log, securityHeaders)
  }
}
