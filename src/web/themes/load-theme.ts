import { request } from '../api/ask.ts'
import type { StoredTheme } from '../app/look.ts'
import { readTheme, type Reading, type ThemeFormat } from './read-theme.ts'

/** Reads an uploaded theme from the server. Throws when it is gone. */
export async function fetchTheme(
  id: string,
): Promise<Reading & { text: string; format: ThemeFormat }> {
  const response = await request('GET', `/api/themes/${encodeURIComponent(id)}`)
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true
  const format = isJson ? 'json' : 'toml'
  const text = await response.text()
  return { ...(await readTheme(text, format)), text, format }
}

/** The same in the form that is applied and stored; null when the file cannot be used. */
export async function loadTheme(id: string): Promise<StoredTheme | null> {
  const { theme } = await fetchTheme(id)
  if (theme === null) return null
  const { isDark, sharpCorners, palette } = theme
  // The list's id, which is the name of the file, not the one inside it.
  return { id, isDark, sharpCorners, palette }
}
