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
