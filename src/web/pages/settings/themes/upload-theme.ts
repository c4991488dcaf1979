import { api, unwrap } from '../../../api/eden.ts'
import { isBuiltIn } from '../../../app/appearance.ts'
import { themeOfServer } from '../../../app/theme.ts'
import {
  readTheme,
  themeBytesMax,
  type Finding,
  type Reading,
  type ThemeFormat,
} from '../../../themes/read-theme.ts'

/** Format of a theme file by its extension; null for other files. */
export function formatOf(name: string): ThemeFormat | null {
  const ending = name.toLowerCase().split('.').at(-1)
  return ending === 'toml' || ending === 'json' ? ending : null
}

const stop = (kind: Finding['kind'], subject: string): Reading => ({
  theme: null,
  findings: [{ kind, blocks: true, subject, line: null }],
})

/** Checks a file before it is uploaded. */
export async function checkFile(file: File): Promise<Reading & { text: string }> {
  const format = formatOf(file.name)
  if (format === null) return { ...stop('extension', file.name), text: '' }
  if (file.size > themeBytesMax) return { ...stop('size', file.name), text: '' }
  const text = await file.text()
  const reading = await readTheme(text, format)
  const stem = file.name.slice(0, -format.length - 1).toLowerCase()
  const isReserved = format === 'toml' && isBuiltIn(themeOfServer(stem))
  return isReserved ? { ...stop('builtIn', stem), text } : { ...reading, text }
}

/** Uploads a theme; returns its id. */
export async function uploadTheme(text: string, name: string): Promise<string> {
  const file = new File([text], name, { type: 'text/plain' })
  const { themeId } = await unwrap(api.themes.upload.post({ file }))
  return themeId
}
