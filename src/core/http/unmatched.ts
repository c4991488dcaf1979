import type { RouteLike } from './request-forms.ts'
import { AppError, refusalResponse } from './errors.ts'

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : escaped(part)))
  return new RegExp(`^${segments.join('/')}/?$`)
}

/**
 * Methods of a path. Used only to answer requests that the router did not match: admission never
 * depends on it.
 */
function methodsOf(routes: readonly RouteLike[]): (path: string) => string[] {
  const byPath = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { method, path } of routes) {
    const known = byPath.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() }
    known.methods.add(method)
    if (method === 'GET') known.methods.add('HEAD')
    byPath.set(path, known)
  }
  return (path) => {
    const matching = [...byPath.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
  }
}

const reads = new Set(['GET', 'HEAD'])

/**
 * Answers requests that match no endpoint: 426 on the path of a socket, 405 where the path has other
 * methods, else the dashboard for reads and 404 for writes. Reads the routes at the first of these.
 */
export function unmatchedPaths(
  routes: () => readonly RouteLike[],
  dashboard: (request: Request) => Response,
) {
  let knownMethods: ReturnType<typeof methodsOf> | null = null
  return (request: Request): Response => {
    const { method, url } = request
    const methods = (knownMethods ??= methodsOf(routes()))(new URL(url).pathname)
    if (methods.includes('WS')) {
      const headers = { Upgrade: 'websocket' }
      return refusalResponse(new AppError('upgradeRequired', undefined, { headers }))
    }
    if (methods.length > 0 && !methods.includes(method)) {
      const headers = { Allow: methods.join(', ') }
      return refusalResponse(new AppError('wrongMethod', undefined, { headers }))
    }
    return reads.has(method) ? dashboard(request) : refusalResponse(new AppError('notFound'))
  }
}
