import type { Logger } from '../lib/log.ts'
import type { createCompressor } from './compression.ts'
import { requestIdOf } from './request-id.ts'

type Handle = (request: Request) => Response | undefined | Promise<Response | undefined>

/** Paths of requests that come all the time and say nothing. */
const quietPath = /^\/(health(\/ready)?$|assets\/)/

/** Nothing reads the body of a request that only reads; unread bytes would be kept in memory. */
async function dropBody(request: Request): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') await request.body?.cancel()
}

/** Around everything, errors and the dashboard included: an id, a log line, compression. */
export function around(compress: ReturnType<typeof createCompressor>, log: Logger) {
  // Elysia types the wrapped handler as a bare Function; upgrades answer nothing.
  return (handle: unknown) => async (request: Request) => {
    const startMs = performance.now()
    await dropBody(request)
    const response = await (handle as Handle)(request)
    if (response === undefined) return response
    const answer = await compress(request, response)
    const id = requestIdOf(request)
    answer.headers.set('X-Request-Id', id)
    // Without the query: it may hold what a person searched for.
    const path = new URL(request.url).pathname
    const facts = { id, method: request.method, path, status: answer.status }
    const ms = Math.round(performance.now() - startMs)
    if (!quietPath.test(path)) log.debug({ ...facts, ms }, 'request')
    return answer
  }
}
