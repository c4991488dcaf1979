const maxServiceLength = 100

const loopback = /^(127(\.|:|$)|localhost(:\d+)?$|\[?::1\]?(:\d+)?$)/
const ipv4 = /^\d[\d.]*(:\d+)?$/
const ipv6 = /^\[?[0-9a-f]*:[0-9a-f:.]*\]?(:\d+)?$/

/** Keeps what a database column and a log viewer can hold: no control characters, bounded. */
export const cleanText = (text: string, maxLength: number): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed here
  text.replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, maxLength)

/** What reports call the tag of a line. The tag itself is kept beside it for cache keys. */
export function serviceOfTag(tag: string): string {
  const name = cleanText(tag, maxServiceLength).trim().toLowerCase()
  if (name === '' || name === '-') return 'unknown'
  if (loopback.test(name)) return 'localhost'
  if (ipv4.test(name) || ipv6.test(name)) return 'ip-address'
  return name === 'epic' ? 'epicgames' : name
}

/** Stem of a per-host log file to the service whose requests it holds; null: not ingested. */
export const serviceOfStem: Readonly<Record<string, string | null>> = {
  'steam-access.log': 'steam',
  'epicgames-access.log': 'epicgames',
  'blizzard-access.log': 'blizzard',
  'riot-access.log': 'riot',
  'windows-update-access.log': 'wsus',
  'fallback-access.log': null,
}

export const sharedStem = 'access.log'
