const powers: Record<string, number> = { '': 0, k: 1, m: 2, g: 3, t: 4 }
const withUnit = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt])b?$/i

/**
 * Bytes of a size in the proxy's notation: digits alone are bytes, `k`, `m`, `g`, `t` (with or
 * without `b`, any case) are binary; a fraction needs a unit. Null for anything else.
 */
export function parseSize(text: string): number | null {
  const plain = text.trim()
  if (/^\d{1,15}$/.test(plain)) return Number(plain)
  const [, number, unit] = withUnit.exec(plain) ?? []
  if (number === undefined || unit === undefined) return null
  const bytes = Math.round(Number(number) * 1024 ** (powers[unit.toLowerCase()] ?? 0))
  return Number.isSafeInteger(bytes) ? bytes : null
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1 MiB`, `345 bytes`. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const shown = value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)
  return `${shown} ${units[unit]}`
}
