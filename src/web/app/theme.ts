export const themes = ['system', 'dark', 'light'] as const
export type Theme = (typeof themes)[number]

const key = 'larder.theme'

/** The theme the person chose; `system` follows the device. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

/** Stores and applies a theme at once. `theme-boot.ts` does the same before the first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  const isLight = matchMedia('(prefers-color-scheme: light)').matches
  const effective = theme === 'system' ? (isLight ? 'light' : 'dark') : theme
  document.documentElement.dataset['theme'] = effective
}

/** Calls back when the effective theme changes; charts repaint then. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
