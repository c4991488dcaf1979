/** Backslash escapes hide words from a plain search: `\75 rl(` is `url(`. */
const decoded = (css: string): string =>
  css.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|(\n|.))/gi,
    (_, hex: string | undefined, other: string) =>
      hex === undefined ? other.trim() : fromHex(hex),
  )

function fromHex(hex: string): string {
  const point = Number.parseInt(hex, 16)
  return point === 0 || point > 0x10_ff_ff ? '\u{fffd}' : String.fromCodePoint(point)
}

/** Data URLs, and fragments of the page itself, are harmless. */
const harmless = /^(?:data:(?:image|font|application\/(?:x-)?font)[\w/+.;=-]*,|#)/i
const fetching = /(?:url|src)\s*\(\s*["']?\s*([^)"'\s]*)/gi

const rules: [RegExp, string][] = [
  [/@import/i, '@import loads another style sheet'],
  [/@(?:namespace|document)/i, 'at-rules about documents are not for themes'],
  [/(?:image|image-set|cross-fade|element|paint)\s*\(/i, 'images are written with url() and data'],
  [/expression\s*\(|javascript:|vbscript:|-moz-binding|behavior\s*:/i, 'it runs code'],
  [/<\/?\s*(?:style|script)|<!--/i, 'it holds markup'],
]

/**
 * Why a style sheet is refused, or null. An untrusted theme must neither load anything external
 * (that reveals where the dashboard is read, and by whom) nor run code. Comments and strings are
 * checked too, because such checks are fooled by telling them from code.
 */
export function styleFault(css: string): string | null {
  for (const text of [css, decoded(css)]) {
    for (const [pattern, why] of rules) if (pattern.test(text)) return why
    for (const [whole, target = ''] of text.matchAll(fetching)) {
      if (!harmless.test(target)) return `${whole.slice(0, 60)} loads something from outside`
    }
  }
  return null
}
