import type { PracticeCatalogue } from '../../src/prefill/daemon/practice/engine.ts'
import { testServer } from './test-server.ts'

/** A host that nothing resolves: content is requested from the cache only. */
export const practiceHost = 'content.example.test'

/** Games of a catalogue with objects `/size/<bytes>/<game>/<n>`. */
export const practiceGame = (
  appId: string,
  {
    objects = 3,
    bytes = 1000,
    version = '1',
    ...rest
  }: {
    objects?: number
    bytes?: number
    version?: string
    minutes?: number
    owners?: string[]
    unavailable?: string
  } = {},
): PracticeCatalogue['games'][number] => ({
  appId,
  name: `Game ${appId}`,
  version,
  objects: Array.from({ length: objects }, (_, index) => ({
    path: `/size/${bytes}/${appId}/${index}`,
    bytes,
  })),
  ...rest,
})

/**
 * The outside world of the practice engine, and a cache that has nothing stored: it serves the
 * catalogue, the heartbeat, and every object below `/size/`. Stopped after the file's last test.
 */
export function practiceOrigin(catalogue: Partial<PracticeCatalogue> = {}) {
  const state: PracticeCatalogue = { hosts: [practiceHost], games: [], ...catalogue }
  const content: { path: string; host: string; range: string | null }[] = []
  let isApproved = false
  /** Answers a request for content instead of the usual answer; undefined: as usual. */
  let intercept: (
    path: string,
    request: Request,
  ) => Response | Promise<Response | undefined> | undefined = () => undefined
  const server = testServer(async (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/practice.json') return Response.json(state)
    if (pathname === '/approved') return new Response(null, { status: isApproved ? 200 : 404 })
    if (pathname === '/lancache-heartbeat') {
      return new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'test' } })
    }
    const path = pathname + search
    const host = request.headers.get('host') ?? ''
    content.push({ path, host, range: request.headers.get('range') })
    const other = await intercept(path, request)
    if (other !== undefined) return other
    const [, bytes] = /^\/size\/(\d+)\//.exec(pathname) ?? []
    if (bytes === undefined) return new Response('no such object', { status: 404 })
    const headers = { 'X-Upstream-Cache-Status': 'MISS' }
    return new Response(new Uint8Array(Number(bytes)), { headers })
  })
  return {
    ...server,
    /** The catalogue, which a test may change. */
    state,
    /** Requests for content. */
    content,
    approve: () => void (isApproved = true),
    intercept: (answer: typeof intercept) => void (intercept = answer),
  }
}
