import { rowLimits } from '../../shipper/row-limits.ts'

const loopback = /^(127(\.|:|$)|localhost(:\d+)?$|\[?::1\]?(:\d+)?$)/
const ipv4 = /^\d[\d.]*(:\d+)?$/
const ipv6 = /^\[?[0-9a-f]*:[0-9a-f:.]*\]?(:\d+)?$/

/**
 * Limits text to what a database column and a log viewer can show: bounded, no control characters.
 */
export const cleanText = (text: string, maxLength: number): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed here
  text.replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, maxLength)

/** Service name in reports for a line's tag. The tag itself is kept as well, for cache keys. */
export function serviceOfTag(tag: string): string {
  const name = cleanText(tag, rowLimits.service).trim().toLowerCase()
  if (name === '' || name === '-') return 'unknown'
  if (loopback.test(name)) return 'localhost'
  if (ipv4.test(name) || ipv6.test(name)) return 'ip-address'
  return name === 'epic' ? 'epicgames' : name
}

/** Service by the stem of a per-host log file; null: not ingested. */
export const serviceOfStem: Readonly<Record<string, string | null>> = {
  'steam-access.log': 'steam',
  'epicgames-access.log': 'epicgames',
  'blizzard-access.log': 'blizzard',
  'riot-access.log': 'riot',
  'windows-update-access.log': 'wsus',
  'fallback-access.log': null,
}

export const sharedStem = 'access.log'
