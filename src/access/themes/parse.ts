import { parse, TomlError } from 'smol-toml'
import { isRecord } from '../../core/lib/record.ts'
import { styleFault } from './style-check.ts'

export type ThemeFormat = 'toml' | 'json'

/** The file is not a valid theme. The message says what is wrong and where; safe to send. */
export class ThemeFault extends Error {}

type Table = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Table => isRecord(value) && !(value instanceof Date)

const requiredColours = ['primaryColor', 'bgPrimary', 'bgSecondary', 'textPrimary']
const shadows = new Set(['checkboxShadow', 'checkboxHoverShadow'])
const flags = new Set([
  'isDark',
  'sharpCorners',
  'disableFocusOutlines',
  'disableTooltips',
  'isCommunityTheme',
])
const colourCharsMax = 200
const textCharsMax = 500
const keysMax = 1000

const colour =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]+|[a-z-]+\([\w\s.,%()/#+-]*\))$/i
/** Letters, numbers and the characters of lengths and colours; nothing that ends a rule. */
const plainValue = /^[\w\s.,%()/#+*-]*$/

/** Line of a key's first occurrence, so that the error can be located in the file. */
function placeOf(text: string, key: string): string {
  const pattern = new RegExp(`^\\s*["']?${RegExp.escape(key)}["']?\\s*[=:]`)
  const index = text.split('\n').findIndex((line) => pattern.test(line))
  return index === -1 ? '' : ` (line ${index + 1})`
}

/** Names a value and its line. The line is searched only for a fault: a file has many of both. */
const faultOf = (name: string, key: string, text: string) => (what: string) =>
  new ThemeFault(`${name}.${key.slice(0, 60)}${placeOf(text, key)} ${what}`)

function read(text: string, format: ThemeFormat): Table {
  let document: unknown
  try {
    document = format === 'toml' ? parse(text) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof TomlError) {
      const what = cause.message.split('\n', 1)[0]?.replace('Invalid TOML document: ', '') ?? ''
      const place = `line ${cause.line}, column ${cause.column}`
      throw new ThemeFault(`The file is not valid TOML: ${what} (${place})`, { cause })
    }
    const what = cause instanceof Error ? cause.message.replace('JSON Parse error: ', '') : ''
    throw new ThemeFault(`The file is not valid JSON: ${what}`, { cause })
  }
  if (!isTable(document)) throw new ThemeFault('The file does not contain a theme')
  return document
}

function section(document: Table, name: string): Table | null {
  const value = document[name]
  if (value === undefined || value === null) return null
  if (!isTable(value)) throw new ThemeFault(`${name} is not a section`)
  if (Object.keys(value).length > keysMax) throw new ThemeFault(`${name} has over ${keysMax} keys`)
  return value
}

function checkColours(colours: Table, text: string): void {
  for (const [key, value] of Object.entries(colours)) {
    const fault = faultOf('colors', key, text)
    if (typeof value !== 'string') throw fault('must be text')
    const trimmed = value.trim()
    if (trimmed.length > colourCharsMax) throw fault('is too long')
    const isFine = shadows.has(key) ? plainValue.test(trimmed) : colour.test(trimmed)
    if (trimmed !== '' && !isFine) throw fault('is not a colour')
    if (styleFault(trimmed) !== null) throw fault('is not a colour')
  }
}

function checkCustom(custom: Table, text: string): void {
  for (const [key, value] of Object.entries(custom)) {
    const fault = faultOf('custom', key, text)
    if (isTable(value) || Array.isArray(value)) throw fault('is not a value')
    const shown = String(value)
    if (shown.length > textCharsMax) throw fault('is too long')
    if (/[{}<>;@\\]/.test(shown)) throw fault('contains { } < > ; @ or a backslash')
    const reason = styleFault(shown)
    if (reason !== null) throw fault(`is not allowed: ${reason}`)
  }
}

function checkMeta(meta: Table, text: string): void {
  for (const [key, value] of Object.entries(meta)) {
    const fault = faultOf('meta', key, text)
    if (flags.has(key) && typeof value !== 'boolean') throw fault('must be true or false')
    if (typeof value === 'string' && value.length > textCharsMax) throw fault('is too long')
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null

/**
 * Parses and checks a theme file. Throws ThemeFault when it is invalid or does more than a theme
 * may.
 */
export function parseTheme(text: string, format: ThemeFormat) {
  const document = read(text, format)
  const [meta, colours] = [section(document, 'meta'), section(document, 'colors')]
  const [custom, css] = [section(document, 'custom'), section(document, 'css')]
  // JSON themes may put at the top level what TOML has in its section.
  const about = meta ?? (format === 'json' ? document : {})
  const name = textOf(about.name)
  if (format === 'json' && name === null) throw new ThemeFault('name is missing')
  if (colours === null) throw new ThemeFault('The section colors is missing')
  checkMeta(meta ?? {}, text)
  checkColours(colours, text)
  checkCustom(custom ?? {}, text)
  const content = css?.content ?? ''
  if (typeof content !== 'string') throw new ThemeFault('css.content must be text')
  const fault = styleFault(content)
  if (fault !== null) {
    throw new ThemeFault(`css.content${placeOf(text, 'content')} is not allowed: ${fault}`)
  }
  const missing = requiredColours.filter((key) => textOf(colours[key]) === null)
  return {
    /** Null when the file does not name one. */
    name,
    description: textOf(about.description),
    author: textOf(about.author),
    version: textOf(about.version),
    /** Required values that the file lacks. */
    missing: [...(name === null ? ['meta.name'] : []), ...missing.map((key) => `colors.${key}`)],
  }
}
export type ThemeFacts = ReturnType<typeof parseTheme>
