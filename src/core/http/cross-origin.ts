import type { Handle } from './wrap-request.ts'

/** How long browsers cache a preflight; the list only changes with a restart. */
const preflightSeconds = 600
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Headers that scripts may read. */
const exposed = 'Retry-After, Location, X-Service-Version, X-Service-Status'

function headersFor(origin: string, allowed: ReadonlySet<string>): Record<string, string> | null {
  const isListed = allowed.has(origin)
  if (!isListed && !allowed.has('*')) return null
  return {
    'Access-Control-Allow-Origin': isListed ? origin : '*',
    // Cookies only for listed origins: with `*` any page could act as its visitor.
    ...(isListed && { 'Access-Control-Allow-Credentials': 'true' }),
    'Access-Control-Expose-Headers': exposed,
    Vary: 'Origin',
  }
}

function preflight(request: Request, headers: Record<string, string>): Response {
  const wanted = request.headers.get('access-control-request-headers') ?? ''
  const safe = wanted.length <= 500 && /^[\w-]+(?:\s*,\s*[\w-]+)*$/.test(wanted)
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'Access-Control-Allow-Methods': methods,
      ...(safe && { 'Access-Control-Allow-Headers': wanted }),
      'Access-Control-Max-Age': String(preflightSeconds),
    },
  })
}

/**
 * Allows pages of other origins to read responses: listed ones with the visitor's cookies, all of
 * them without cookies when the list contains `*`. An empty list changes nothing.
 */
export function crossOrigin(allowedOrigins: readonly string[]) {
  const allowed = new Set(
    allowedOrigins.flatMap((entry) => (entry === '*' ? entry : (URL.parse(entry)?.origin ?? []))),
  )
  // Elysia types the wrapped handler as a bare Function.
  return (handle: unknown) =>
    allowed.size === 0
      ? (handle as Handle)
      : async (request: Request): Promise<Response | undefined> => {
          const origin = request.headers.get('origin')
          const headers = origin === null ? null : headersFor(origin, allowed)
          if (headers === null) return (handle as Handle)(request)
          const asks = request.headers.has('access-control-request-method')
          if (request.method === 'OPTIONS' && asks) return preflight(request, headers)
          const response = await (handle as Handle)(request)
          for (const [name, value] of Object.entries(headers)) response?.headers.append(name, value)
          return response
        }
}
