import { colord, extend, type RgbaColor } from 'colord'
import a11y from 'colord/plugins/a11y'
import names from 'colord/plugins/names'

extend([a11y, names])

/** An alpha of 0 is transparent. */
export type Rgba = RgbaColor

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

/** Relative luminance as defined by WCAG: 0 is black, 1 is white. */
export const luminance = (colour: Rgba): number => colord(colour).luminance()

/** WCAG contrast of two opaque colours: 1 to 21. */
export const contrast = (one: Rgba, other: Rgba): number => colord(one).contrast(other)
