/** Colours of an uploaded theme as applied; names without the leading dashes. */
export interface StoredTheme {
  id: string
  isDark: boolean
  sharpCorners: boolean
  palette: Record<string, string>
}

/** Shape preferences; they apply to every theme. */
export interface Shape {
  sharpCorners: boolean
  hidesOutlines: boolean
}

/** Themes that are part of the style sheet. */
export const builtInThemes = ['dark', 'light', 'graphite'] as const
export type BuiltInTheme = (typeof builtInThemes)[number]

export const storageKeys = {
  theme: 'larder.theme',
  palette: 'larder.palette',
  shape: 'larder.shape',
} as const

export const isBuiltIn = (theme: string | null): theme is BuiltInTheme =>
  builtInThemes.some((known) => known === theme)

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Storage may be blocked; then the system's appearance applies.
    return null
  }
}

export function readJson(key: string): unknown {
  try {
    return JSON.parse(readStored(key) ?? 'null')
  } catch {
    return null
  }
}

// Both are written by this page only.
export const storedTheme = () => readJson(storageKeys.palette) as StoredTheme | null
export const storedShape = () => readJson(storageKeys.shape) as Shape | null

/** Applies the chosen or previewed theme. Also runs before the first paint. */
export function paint(tried: BuiltInTheme | StoredTheme | null = null): void {
  const root = document.documentElement
  const isLight = matchMedia('(prefers-color-scheme: light)').matches
  const chosen = readStored(storageKeys.theme)
  const uploaded = storedTheme()
  const fallback = isBuiltIn(chosen) ? chosen : isLight ? 'light' : 'dark'
  const theme = tried ?? (uploaded !== null && uploaded.id === chosen ? uploaded : fallback)
  const own = typeof theme === 'string' ? null : theme
  // Copied first: the list shrinks while it is cleared.
  const names = Array.from(root.style).filter((name) => name.startsWith('--'))
  for (const name of names) root.style.removeProperty(name)
  for (const [name, value] of Object.entries(own?.palette ?? {})) {
    root.style.setProperty(`--${name}`, value)
  }
  const shape = storedShape()
  const isSharp = shape?.sharpCorners === true || own?.sharpCorners === true
  root.dataset['corners'] = isSharp ? 'sharp' : 'round'
  root.dataset['outlines'] = shape?.hidesOutlines === true ? 'off' : 'on'
  root.dataset['theme'] = typeof theme === 'string' ? theme : theme.isDark ? 'dark' : 'light'
}
