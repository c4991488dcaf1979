import { readColour } from './colour.ts'
import { requiredKeys, shadowKeys, themeKeys } from './keys.ts'
import { isDarkTheme, paletteOf, weaknessesOf, type Palette } from './palette.ts'

export type ThemeFormat = 'toml' | 'json'

export interface Theme {
  id: string
  name: string
  description: string
  author: string
  version: string
  isDark: boolean
  sharpCorners: boolean
  palette: Palette
}

/** A finding about a file; with `blocks` the file is unusable. */
export interface Finding {
  kind:
    | 'size'
    | 'syntax'
    | 'missing'
    | 'colour'
    | 'unknown'
    | 'style'
    | 'contrast'
    | 'builtIn'
    | 'extension'
  blocks: boolean
  /** The affected member (`colors.bgPrimary`), or the parser's message. */
  subject: string
  /** Line of the file, from 1; null without a location. */
  line: number | null
}

export interface Reading {
  theme: Theme | null
  findings: Finding[]
}

export const themeBytesMax = 1024 * 1024
/** Findings listed at most. */
const findingsMax = 30
const textCharsMax = 200

type Table = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const tableOf = (value: unknown): Table => (isTable(value) ? value : {})
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim().slice(0, textCharsMax) : ''

/** Line of each key's first occurrence; found once, because a file has many of both. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  for (const [index, line] of text.split('\n').entries()) {
    const [start = ''] = line.split(/[=:]/, 1)
    const name = start.trim().replace(/^["']|["']$/g, '')
    if (!lines.has(name)) lines.set(name, index + 1)
  }
  return lines
}

class SyntaxFault extends Error {
  readonly line: number | null
  constructor(message: string, line: number | null) {
    super(message)
    this.line = line
  }
}

async function parse(text: string, format: ThemeFormat): Promise<Table> {
  if (format === 'json') {
    try {
      return tableOf(JSON.parse(text))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const line = /line (\d+)/.exec(message)?.[1]
      throw new SyntaxFault(message, line === undefined ? null : Number(line))
    }
  }
  const toml = await import('smol-toml')
  try {
    return toml.parse(text)
  } catch (error) {
    if (!(error instanceof toml.TomlError)) throw error
    const message = error.message.split('\n')[0] ?? ''
    throw new SyntaxFault(message.replace(/^Invalid TOML document: /, ''), error.line)
  }
}

function colourFindings(colours: Table, text: string): Finding[] {
  const required: readonly string[] = requiredKeys
  const lines = linesOf(text)
  const missing = required
    .filter((key) => colours[key] === undefined)
    .map((key): Finding => {
      return { kind: 'missing', blocks: true, subject: `colors.${key}`, line: null }
    })
  const faults = Object.entries(colours).flatMap(([key, value]): Finding[] => {
    const place = { subject: `colors.${key}`, line: lines.get(key) ?? null }
    if (!themeKeys.has(key)) return [{ kind: 'unknown', blocks: false, ...place }]
    if (shadowKeys.has(key) || value === '' || readColour(value) !== null) return []
    return [{ kind: 'colour', blocks: required.includes(key), ...place }]
  })
  return [...missing, ...faults]
}

/**
 * Sections that other dashboards apply; an untrusted style sheet is never inserted into our page.
 */
function styleFindings(document: Table, text: string): Finding[] {
  return ['css', 'custom']
    .filter((section) => Object.values(tableOf(document[section])).some((value) => value !== ''))
    .map((section): Finding => {
      const line = text.split('\n').findIndex((row) => row.trim() === `[${section}]`)
      const place = { subject: `[${section}]`, line: line === -1 ? null : line + 1 }
      return { kind: 'style', blocks: false, ...place }
    })
}

/**
 * Parses a theme file. Only its colours reach a style sheet, in our own notation; `[css]` and
 * `[custom]` are not applied.
 */
export async function readTheme(text: string, format: ThemeFormat): Promise<Reading> {
  if (text.length > themeBytesMax) {
    return { theme: null, findings: [{ kind: 'size', blocks: true, subject: '', line: null }] }
  }
  let document: Table
  try {
    document = await parse(text, format)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { message: subject, line } = error
    return { theme: null, findings: [{ kind: 'syntax', blocks: true, subject, line }] }
  }
  // JSON files may have metadata at the top level instead of in `meta`.
  const meta = isTable(document['meta']) ? document['meta'] : format === 'json' ? document : {}
  const colours = tableOf(document['colors'])
  const name = textOf(meta['name'])
  const id = textOf(meta['id']) || (format === 'json' ? name : '')
  const findings: Finding[] = []
  if (name === '')
    findings.push({ kind: 'missing', blocks: true, subject: 'meta.name', line: null })
  if (id === '') findings.push({ kind: 'missing', blocks: true, subject: 'meta.id', line: null })
  findings.push(...colourFindings(colours, text), ...styleFindings(document, text))
  const shown = findings.slice(0, findingsMax)
  if (findings.some(({ blocks }) => blocks)) return { theme: null, findings: shown }
  const palette = paletteOf(colours)
  const theme: Theme = {
    id,
    name,
    description: textOf(meta['description']),
    author: textOf(meta['author']),
    version: textOf(meta['version']),
    isDark: isDarkTheme(colours),
    sharpCorners: meta['sharpCorners'] === true,
    palette,
  }
  const weak = weaknessesOf(palette).map(({ token, ground, ratio }): Finding => {
    const subject = `${token} / ${ground}: ${ratio.toFixed(1)}`
    return { kind: 'contrast', blocks: false, subject, line: null }
  })
  return { theme, findings: [...shown, ...weak] }
}
