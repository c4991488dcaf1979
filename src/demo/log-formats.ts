/** One finished request, with everything the proxy logs about it. */
export interface LoggedRequest {
  /** Unix seconds, the end of the request. */
  at: number
  tag: string
  client: string
  forwardedFor: string
  method: string
  target: string
  status: number
  bytes: number
  userAgent: string
  /** `HIT`, `MISS` ... or `-` when the cache was bypassed. */
  cacheStatus: string
  host: string
  range: string
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const two = (value: number) => (value < 10 ? `0${value}` : String(value))

let stampAt = Number.NaN
let stamp = ''

/** `20/Nov/2026:21:52:49 +0000`; cached, because many lines share a second. */
export function logTime(at: number): string {
  if (at === stampAt) return stamp
  const date = new Date(at * 1000)
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  stampAt = at
  stamp = `${day}:${time} +0000`
  return stamp
}

/** The stock proxy's format `cachelog`, without the newline. */
export function cachelogLine(it: LoggedRequest): string {
  const who = `[${it.tag}] ${it.client} / ${it.forwardedFor} - - [${logTime(it.at)}]`
  const what = `"${it.method} ${it.target} HTTP/1.1" ${it.status} ${it.bytes}`
  return `${who} ${what} "-" "${it.userAgent}" "${it.cacheStatus}" "${it.host}" "${it.range}"`
}

const orEmpty = (value: string) => (value === '-' ? '' : value)

/** The format `cachelog-json`: numbers are strings except for bytes, absent values are empty. */
export function cachelogJsonLine(it: LoggedRequest): string {
  return JSON.stringify({
    timestamp: `${it.at}.000`,
    time_local: logTime(it.at),
    cache_identifier: it.tag,
    remote_addr: it.client,
    forwarded_for: orEmpty(it.forwardedFor),
    remote_user: '',
    status: String(it.status),
    bytes_sent: it.bytes,
    referer: '',
    user_agent: orEmpty(it.userAgent),
    upstream_cache_status: orEmpty(it.cacheStatus),
    host: it.host,
    http_range: orEmpty(it.range),
    method: it.method,
    path: it.target,
    proto: 'HTTP/1.1',
    scheme: 'http',
  })
}

/** The bare-metal format `http-detailed`; the file name is the service. */
export function httpDetailedLine(it: LoggedRequest): string {
  const request = `${it.client} ${it.method} "${it.target}" ${it.range} HTTP/1.1 ${it.status} "-"`
  const sizes = `512 ${it.bytes + 424} ${it.bytes} 0.005 ${it.bytes}`
  return `[${logTime(it.at)}] ${request} ${sizes} ${it.cacheStatus} ${it.host} ${it.status} 0.004 "${it.userAgent}"`
}
