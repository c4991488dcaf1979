import type { NameService } from './names.ts'

/** Start and end of the background, one pair per service. */
const colours: Readonly<Record<NameService, readonly [string, string]>> = {
  blizzard: ['#12305c', '#1f6fb5'],
  riot: ['#3d1220', '#b23a48'],
  xbox: ['#123d22', '#3a8f4a'],
}
const lettersMax = 3

const initials = (name: string): string =>
  (name.match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => word.slice(0, 1))
    .join('')
    .slice(0, lettersMax)
    .toUpperCase()

/**
 * A banner drawn by Larder, for games whose publisher's art may not be used. It contains only
 * letters and digits of the name, so nothing needs escaping.
 */
export function drawBanner(service: NameService, name: string): Buffer {
  const [from, to] = colours[service]
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 215">
<defs><linearGradient id="a" x2="1" y2="1"><stop stop-color="${from}"/>
<stop offset="1" stop-color="${to}"/></linearGradient></defs>
<path fill="url(#a)" d="M0 0h460v215H0z"/>
<path fill="#fff" fill-opacity=".08" d="M300 0h90L210 215h-90zM430 0h30v40L313 215h-63z"/>
<text x="230" y="112" fill="#fff" font-family="system-ui,sans-serif" font-size="64"
 font-weight="700" text-anchor="middle" dominant-baseline="middle">${initials(name)}</text>
</svg>
`)
}
