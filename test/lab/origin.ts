import { serveLocally } from '../support/stand-ins/serve-locally.ts'

/**
 * A small content server. `/size/<bytes>/<name>` has that many bytes and supports Range, so that
 * the proxy can slice it; `/slow/<bytes>/<name>` sends them slowly; `/changing/<bytes>/<name>` has
 * another ETag after each `change()`; everything else is 404. A query of `?vary` or
 * `?cookie` adds the header that makes nginx store variants, or nothing. Path prefixes are those of
 * the services.
 */
export function startOrigin() {
  let requests = 0
  let version = 1
  const { port, stop } = serveLocally(async (request) => {
    requests++
    const { pathname, search } = new URL(request.url)
    const [, kind, size] = /\/(size|slow|changing)\/(\d+)\//.exec(pathname) ?? []
    if (kind === undefined) return new Response('no such object', { status: 404 })
    if (kind === 'slow') await Bun.sleep(20)
    const range = request.headers.get('range')
    const response = part(range, Number(size), `"lab-${kind === 'changing' ? version : 1}"`)
    if (search === '?vary') response.headers.set('Vary', 'User-Agent')
    if (search === '?cookie') response.headers.set('Set-Cookie', 'lab=1')
    return response
  })
  /** `requestCount`: of the proxy. */
  return { port, requestCount: () => requests, change: () => void version++, stop }
}

function part(range: string | null, size: number, etag: string): Response {
  const headers = { ETag: etag, 'Last-Modified': 'Fri, 20 Nov 2026 20:00:00 GMT' }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined) return new Response(new Uint8Array(size), { headers })
  const from = Number(first)
  const to = Math.min(last === '' ? size - 1 : Number(last), size - 1)
  if (from > to) {
    const unsatisfied = { ...headers, 'Content-Range': `bytes */${size}` }
    return new Response(null, { status: 416, headers: unsatisfied })
  }
  const ranged = { ...headers, 'Content-Range': `bytes ${from}-${to}/${size}` }
  return new Response(new Uint8Array(to - from + 1), { status: 206, headers: ranged })
}
