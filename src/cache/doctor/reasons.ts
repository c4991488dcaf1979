import type { RepeatedRequest } from '../../engines/log-scan/tail-contract.ts'
import { sizeText } from '../../core/lib/size.ts'

/** `40 s`, `12 min`, `3 h`. */
export function spanText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

function statusText({ statuses }: RepeatedRequest): string {
  const counts = Object.entries(statuses).toSorted(([, a], [, b]) => b - a)
  const [only] = counts
  if (only !== undefined && counts.length === 1) return `each answered ${only[0]}`
  return `answered ${counts.map(([status, count]) => `${count} x ${status}`).join(', ')}`
}

const bytesText = ({ leastBytes, mostBytes }: RepeatedRequest): string =>
  leastBytes === mostBytes
    ? `with ${sizeText(mostBytes)}`
    : `with ${sizeText(leastBytes)} to ${sizeText(mostBytes)}`

function sourceText({ asked, fromCache, fetched }: RepeatedRequest): string {
  if (fromCache === asked) return ' from the cache'
  if (fetched === asked) return ', fetched again every time'
  if (fromCache === 0 && fetched === 0) return ''
  return `, ${fromCache} x from the cache and ${fetched} x fetched`
}

/** Why an object is listed, as one sentence without its full stop. */
export const reasonFor = (request: RepeatedRequest): string =>
  `requested ${request.asked} times in ${spanText(Math.max(1, request.lastS - request.firstS))}, ` +
  `${statusText(request)} ${bytesText(request)}${sourceText(request)}`
