import type { Logger } from '../lib/log.ts'
import { compress } from './compression.ts'
import { requestIdOf } from './request-id.ts'

/** The application's request handler; upgrades return nothing. */
export type Handle = (request: Request) => Response | undefined | Promise<Response | undefined>

/** Paths of frequent requests that are not worth logging. */
const quietPath = /^\/(health(\/ready)?$|assets\/)/

/** A read request's body is never used; unread bytes would stay in memory. */
async function dropBody(request: Request): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') await request.body?.cancel()
}

/** Wraps every request, including errors and the dashboard: an id, a log line, compression. */
export function wrapRequest(log: Logger) {
  // Elysia types the wrapped handler as a bare Function.
  return (handle: unknown) => async (request: Request) => {
    const startMs = performance.now()
    await dropBody(request)
    const response = await (handle as Handle)(request)
    if (response === undefined) return response
    const answer = await compress(request, response)
    const id = requestIdOf(request)
    answer.headers.set('X-Request-Id', id)
    if (!log.isLevelEnabled('debug')) return answer
    // Without the query: it may contain search terms of users.
    const path = new URL(request.url).pathname
    const ms = Math.round(performance.now() - startMs)
    const facts = { id, method: request.method, path, status: answer.status, ms }
    if (!quietPath.test(path)) log.debug(facts, 'request')
    return answer
  }
}
