/** Default ports are left out by browsers but not by every proxy. */
const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, '')

const parsed = (origin: string): URL | null => (URL.canParse(origin) ? new URL(origin) : null)

/**
 * Whether a page of this origin may open a socket here. Browsers send cookies along with sockets
 * that a foreign page opens, so the origin has to be our own or listed. Programs send no origin.
 */
export function isOriginAllowed(request: Request, allowedOrigins: readonly string[]): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return true
  const url = parsed(origin)
  if (url === null || url.host === '') return false
  const host = request.headers.get('host') ?? ''
  if (withoutDefaultPort(url.host) === withoutDefaultPort(host)) return true
  return allowedOrigins.some((allowed) => parsed(allowed)?.origin === url.origin)
}
