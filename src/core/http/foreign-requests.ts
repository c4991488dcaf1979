/*
 * Foreign pages are refused before anything else (`foreign-requests.ts`), because with
 * authentication off neither DNS rebinding nor a cross-site write needs a session. `Host` must be
 * an address, a name that only a local network resolves (without a dot, `.localhost`, `.local`,
 * `.lan`, `.home.arpa`), the name of the machine, or one of `Security__AllowedHosts`; otherwise
 * the answer is 421. `X-Forwarded-Host` of a trusted proxy has to pass as well; it never replaces
 * `Host`, since a page under a rebound name can send it. A write or a socket is refused with 403
 * when `Sec-Fetch-Site` or, on plain HTTP, `Origin` names another origin. Programs send neither
 * header.
 */
import type { Logger } from '../lib/log.ts'
import { AppError, refusalResponse } from './errors.ts'
import { securityHeaders } from './headers.ts'
import { hostName, OwnHosts } from './own-hosts.ts'
import type { RemoteAddress } from './remote-address.ts'
import { requestIdOf } from './request-id.ts'
import type { Handle } from './wrap-request.ts'

/** Limits the refusals that are logged, so that a client cannot fill the disk. */
const loggedMax = 20

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface ForeignRules {
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  address: RemoteAddress
  log: Logger
}

/** The browser's `Host`: as received here, and by a trusted proxy. */
function hostsOf(request: Request, address: RemoteAddress): string[] {
  const host = request.headers.get('host') ?? URL.parse(request.url)?.host ?? ''
  return [host, ...address.forwardedHosts(request)]
}

function foreignHost(hosts: readonly string[], own: OwnHosts): AppError | null {
  for (const host of hosts) {
    const name = hostName(host)
    if (name === null)
      return new AppError('misdirected', 'The Host header is missing or is not a host name')
    if (own.has(name)) continue
    const text = `This service is not known as ${name}; add it to Security__AllowedHosts`
    return new AppError('misdirected', text)
  }
  return null
}

/** Browsers omit default ports, but not every proxy does. */
const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, '')

/** Programs send neither `Origin` nor `Sec-Fetch-Site`; a page's write always has them. */
function isForeignPage(request: Request, hosts: readonly string[], listed: ReadonlySet<string>) {
  const text = request.headers.get('origin')
  const origin = text === null ? null : URL.parse(text)
  if (origin !== null && listed.has(origin.origin)) return false
  const site = request.headers.get('sec-fetch-site')
  // The browser's own verdict; it also works behind a proxy that does not pass on `Host`.
  if (site !== null && site !== 'none') return site !== 'same-origin'
  if (text === null) return false
  if (origin === null || origin.host === '') return true
  const ours = hosts.map(withoutDefaultPort)
  return !ours.includes(withoutDefaultPort(origin.host))
}

/** Sockets count as writes: browsers let foreign pages open and read them. */
const isWrite = ({ method, headers }: Request): boolean =>
  !readMethods.has(method) || headers.has('upgrade')

function foreignPage(request: Request): AppError {
  const origin = request.headers.get('origin') ?? 'another site'
  const text =
    `A page from ${origin.slice(0, 300)} may not do this: a reverse proxy has to pass on Host ` +
    'unchanged, and other sites are listed in Security__AllowedOrigins'
  return new AppError('refused', text)
}

/**
 * Refuses requests that a foreign page sends through a visitor's browser: under an unknown host
 * name, and writes or sockets from another origin. Runs first, because neither needs a session
 * while authentication is disabled.
 */
export function foreignRequests({ allowedHosts, allowedOrigins, address, log }: ForeignRules) {
  const own = new OwnHosts(allowedHosts)
  const listed = new Set(allowedOrigins.flatMap((text) => URL.parse(text)?.origin ?? []))
  let logged = 0

  function refusalOf(request: Request): AppError | null {
    const hosts = hostsOf(request, address)
    const refusal = foreignHost(hosts, own)
    if (refusal !== null || !isWrite(request)) return refusal
    return isForeignPage(request, hosts, listed) ? foreignPage(request) : null
  }

  // Elysia types the wrapped handler as a bare Function.
  return (handle: unknown) =>
    (request: Request): ReturnType<Handle> => {
      const refusal = refusalOf(request)
      if (refusal === null) return (handle as Handle)(request)
      const id = requestIdOf(request)
      const from = address.of(request)
      if (logged++ < loggedMax) log.warn({ id, from }, `request refused: ${refusal.message}`)
      const response = refusalResponse(refusal)
      const headers = { ...securityHeaders, 'X-Request-Id': id }
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
      return response
    }
}
