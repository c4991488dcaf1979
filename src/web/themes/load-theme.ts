import { accepted, ownHeaders } from '../api/client.ts'
import type { StoredTheme } from '../app/appearance.ts'
import { readTheme, type Reading, type ThemeFormat } from './read-theme.ts'

/** Downloads an uploaded theme. Throws when it does not exist. */
export async function fetchTheme(
  id: string,
): Promise<Reading & { text: string; format: ThemeFormat }> {
  const address = `/api/themes/${encodeURIComponent(id)}`
  const response = await accepted(await fetch(address, { headers: ownHeaders() }))
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true
  const format = isJson ? 'json' : 'toml'
  const text = await response.text()
  return { ...(await readTheme(text, format)), text, format }
}

/** The same in the form that is applied and stored; null when the file is unusable. */
export async function loadTheme(id: string): Promise<StoredTheme | null> {
  const { theme } = await fetchTheme(id)
  if (theme === null) return null
  const { isDark, sharpCorners, palette } = theme
  // The id from the list, which is the file name, not the one inside the file.
  return { id, isDark, sharpCorners, palette }
}
