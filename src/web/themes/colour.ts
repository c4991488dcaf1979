import { colord, extend } from 'colord'
import names from 'colord/plugins/names'

extend([names])

export interface Rgba {
  r: number
  g: number
  b: number
  /** 0 is transparent. */
  a: number
}

/** Colour formats a theme may use; anything else (`url(...)`, `var(...)`) is refused. */
const forms = [
  /^[a-z]{3,20}$/i,
  /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i,
  /^rgba?\([\d\s.,%/]{5,60}\)$/i,
  /^hsla?\([\d\s.,%/+\-deg]{5,60}\)$/i,
]
const colourCharsMax = 80

/** Parses a CSS colour; null for unsupported formats. */
export function readColour(text: unknown): Rgba | null {
  if (typeof text !== 'string' || text.length > colourCharsMax) return null
  const trimmed = text.trim()
  if (!forms.some((form) => form.test(trimmed))) return null
  const colour = colord(trimmed)
  return colour.isValid() ? colour.toRgb() : null
}

/** `#rrggbb` or `#rrggbbaa`: style sheets receive our own output, never the file's text. */
export const hexOf = (colour: Rgba): string => colord(colour).toHex()

/** A translucent colour blended over an opaque one. */
export function over(top: Rgba, ground: Rgba): Rgba {
  const mix = (one: number, other: number) => Math.round(one * top.a + other * (1 - top.a))
  return { r: mix(top.r, ground.r), g: mix(top.g, ground.g), b: mix(top.b, ground.b), a: 1 }
}

const linear = (channel: number): number => {
  const part = channel / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

/** Relative luminance as defined by WCAG: 0 is black, 1 is white. */
export const luminance = ({ r, g, b }: Rgba): number =>
  0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)

/** WCAG contrast of two opaque colours: 1 to 21. */
export function contrast(one: Rgba, other: Rgba): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}
