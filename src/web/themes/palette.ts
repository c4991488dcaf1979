import { contrast, hexOf, luminance, over, readColour, type Rgba } from './colour.ts'

/**
 * The semantic colours of the dashboard, whose built-in values are in `style/tokens.css`, and the
 * mapping: for each of them the theme keys that may provide it, best first, then the built-in
 * values of the dark and the light palette.
 */
const sources = {
  bg: ['bgPrimary', '#0e1013', '#f6f7f9'],
  panel: ['cardBg bgSecondary', '#15181d', '#ffffff'],
  raise: ['bgTertiary bgHover bgElevated', '#1b1f26', '#f0f2f5'],
  line: ['cardBorder borderPrimary', '#262b33', '#e2e6ec'],
  edge: ['inputBorder borderSecondary borderHover', '#5f6876', '#8a94a3'],
  text: ['textPrimary', '#e8eaee', '#12151a'],
  dim: ['textSecondary', '#9aa2b1', '#566070'],
  faint: ['textMuted textPlaceholder', '#5e6675', '#98a1b0'],
  cache: ['primaryColor', '#5eead4', '#0a7767'],
  fetched: ['chartCacheMissColor warning', '#f0b35a', '#b8741a'],
  'fetched-ink': ['warningText warning chartCacheMissColor', '#f0b35a', '#8f560a'],
  'on-accent': ['buttonText', '#08211d', '#ffffff'],
  bad: ['errorText error', '#ff8a7a', '#b42318'],
  veil: ['bgOverlay', '#000000a6', '#12151a66'],
  alpha: ['alphaColor', '#6ea8fe', '#2c65bd'],
  beta: ['betaColor', '#c3c7cf', '#5d636e'],
  gamma: ['gammaColor', '#4cc9f0', '#0b7391'],
  delta: ['deltaColor', '#ff8a80', '#b3392f'],
  epsilon: ['epsilonColor', '#7ddc8a', '#2b7d38'],
  other: ['accentColor secondaryColor', '#b7a4f0', '#6a54a8'],
} as const satisfies Record<string, readonly [keys: string, dark: string, light: string]>

export type Token = keyof typeof sources
export type Palette = Record<Token, string>
// The keys of the literal.
export const tokens = Object.keys(sources) as Token[]

export type ThemeColours = Readonly<Record<string, unknown>>

const black: Rgba = { r: 0, g: 0, b: 0, a: 1 }
const white: Rgba = { r: 255, g: 255, b: 255, a: 1 }
/** With less contrast than this an accent's text colour is replaced by black or white. */
const accentContrastMin = 3

/** A palette is dark when its text is lighter than its background. */
export function isDarkTheme(colours: ThemeColours): boolean {
  const text = readColour(colours['textPrimary']) ?? white
  const ground = readColour(colours['bgPrimary']) ?? black
  return luminance(text) > luminance(ground)
}

function readableOn(ground: Rgba, wanted: Rgba): Rgba {
  if (contrast(ground, wanted) >= accentContrastMin) return wanted
  return contrast(ground, white) >= contrast(ground, black) ? white : black
}

/** Our tokens from a theme file's colours. Invalid colours count as missing. */
export function paletteOf(colours: ThemeColours): Palette {
  const isDark = isDarkTheme(colours)
  const first = (token: Token): Rgba => {
    const [keys, dark, light] = sources[token]
    for (const key of keys.split(' ')) {
      const colour = readColour(colours[key])
      if (colour !== null) return colour
    }
    return readColour(isDark ? dark : light) ?? black
  }
  // Menus and drawers cover other text, so surfaces must be opaque.
  const bg = over(first('bg'), isDark ? black : white)
  const panel = over(first('panel'), bg)
  const cache = over(first('cache'), panel)
  const values: Partial<Record<Token, Rgba>> = {
    bg,
    panel,
    cache,
    'on-accent': readableOn(cache, over(first('on-accent'), cache)),
    veil: first('veil'),
  }
  const entries = tokens.map(
    (token) => [token, hexOf(values[token] ?? over(first(token), panel))] as const,
  )
  return Object.fromEntries(entries) as Palette // every token has its entry
}

export interface Weakness {
  token: Token
  ground: Token
  ratio: number
}

/** Pairs that must be readable, with the contrast required by WCAG AA. */
const pairs: readonly (readonly [token: Token, ground: Token, min: number])[] = [
  ['text', 'panel', 4.5],
  ['text', 'bg', 4.5],
  ['dim', 'panel', 4.5],
  ['cache', 'panel', 3],
  ['bad', 'panel', 4.5],
]

/** Poorly readable pairs of this palette. */
export function weaknessesOf(palette: Palette): Weakness[] {
  return pairs.flatMap(([token, ground, min]) => {
    const [one, other] = [readColour(palette[token]), readColour(palette[ground])]
    const ratio = one === null || other === null ? 1 : contrast(one, other)
    return ratio >= min ? [] : [{ token, ground, ratio }]
  })
}
