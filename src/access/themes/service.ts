import pLimit from 'p-limit'
import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { ThemeDeleted, ThemeInfo, ThemesCleaned } from './model.ts'
import { parseTheme, ThemeFault, type ThemeFacts, type ThemeFormat } from './parse.ts'
import { themeBytesMax, type ThemeFile, type ThemeStore } from './store.ts'

/** Themes that ship with the dashboard; they have no file. */
export const builtInThemes = ['dark-default', 'light-default', 'graphite'] as const
const isBuiltIn = (id: string): boolean => builtInThemes.some((one) => one === id)

const idCharsMax = 50
const formats = ['toml', 'json'] as const
/** Themes stored at most; every browser reads the list. */
const themesMax = 200
/** Suffixes `-1`, `-2`, … tried when a JSON theme's name is taken. */
const clashesMax = 100

/** Letters, digits, hyphen and underscore: cannot escape the folder. */
const cleanId = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, idCharsMax)
const idFrom = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, idCharsMax)

const refused = (text: string) => new AppError('invalid', text)

export interface UploadedFile {
  name: string
  size: number
  bytes(): Promise<Uint8Array<ArrayBuffer>>
}

interface ListedTheme {
  fileName: string
  stamp: string | null
  info: ThemeInfo
}

/** Uploaded themes, and the theme of guests. */
export class Themes {
  readonly #deps: AccessParts
  readonly #store: ThemeStore
  /** Uploads run one after another, so that two of the same name do not get the same id. */
  readonly #inTurn = pLimit(1)
  /** Files of the last list, so that only changed ones are parsed. */
  #listed: ReadonlyMap<string, ListedTheme> = new Map()

  constructor(deps: AccessParts, store: ThemeStore) {
    this.#deps = deps
    this.#store = store
  }

  async list(): Promise<ThemeInfo[]> {
    const files = (await this.#store.list()).filter(({ id }) => !isBuiltIn(id))
    const listed = await Promise.all(files.map((file) => this.#read(file)))
    this.#listed = new Map(listed.map((one) => [one.fileName, one]))
    return listed.map(({ info }) => info)
  }

  async #read(file: ThemeFile): Promise<ListedTheme> {
    const { id, format, fileName } = file
    const stamp = await this.#store.stamp(id, format)
    const known = this.#listed.get(fileName)
    return known?.stamp === stamp ? known : { fileName, stamp, info: await this.#info(file) }
  }

  async #info({ id, format }: ThemeFile): Promise<ThemeInfo> {
    const facts = await this.#facts(id, format)
    return {
      id,
      name: facts?.name ?? id,
      description: facts?.description ?? (format === 'toml' ? 'Custom theme' : ''),
      author: facts?.author ?? (format === 'toml' ? 'Custom' : 'Unknown'),
      version: facts?.version ?? '1.0.0',
      isDefault: false,
      format,
    }
  }

  /** Null for a file placed by hand that is not a valid theme. */
  async #facts(id: string, format: ThemeFormat): Promise<ThemeFacts | null> {
    try {
      return parseTheme((await this.#store.read(id, format)) ?? '', format)
    } catch (error) {
      if (error instanceof ThemeFault) return null
      throw error
    }
  }

  /** The file, unchanged. */
  async raw(wanted: string): Promise<{ text: string; format: ThemeFormat }> {
    const id = cleanId(wanted)
    for (const format of id === '' ? [] : formats) {
      const text = await this.#store.read(id, format)
      if (text !== null) return { text, format }
    }
    throw new AppError('notFound', 'Theme not found')
  }

  guestTheme(): string {
    return this.#deps.settings.get('guest.themeId')
  }

  /** Chooses the theme of new guests. */
  async setGuestTheme(wanted: string): Promise<string> {
    const id = cleanId(wanted).toLowerCase()
    if (id === '') throw refused('themeId is missing')
    if (!isBuiltIn(id) && (await this.#formatsOf(id)).length === 0) {
      throw new AppError('notFound', 'Theme not found')
    }
    this.#storeGuestTheme(id)
    return id
  }

  #storeGuestTheme(id: string): void {
    this.#deps.settings.set('guest.themeId', id)
    this.#deps.hub.publish('DefaultGuestThemeChanged', { newThemeId: id })
  }

  async #formatsOf(id: string): Promise<ThemeFormat[]> {
    const files = await this.#store.list()
    return files.filter((file) => file.id === id).map(({ format }) => format)
  }

  /** Checks and stores a theme. A TOML file replaces one of the same name, a JSON file does not. */
  async upload(file: UploadedFile): Promise<{ themeId: string; message: string }> {
    const ending = /^(.*)\.(toml|json)$/is.exec(file.name.split(/[/\\]/).at(-1) ?? '')
    if (ending === null) throw refused('A theme must be a .toml or .json file')
    if (file.size > themeBytesMax) throw refused('A theme can have at most 1 MB')
    if (file.size === 0) throw refused('The file is empty')
    const format: ThemeFormat = ending[2]?.toLowerCase() === 'json' ? 'json' : 'toml'
    const text = decode(await file.bytes())
    const facts = check(text, format)
    const id = idFrom(format === 'toml' ? (ending[1] ?? '') : (facts.name ?? ''))
    if (!/[a-z0-9]/.test(id)) throw refused('The name of the theme needs a letter or digit')
    if (isBuiltIn(id)) throw refused('A built-in theme has this name; choose another')
    const themeId = await this.#inTurn(() => this.#write(id, format, text))
    const lacks = facts.missing.length === 0 ? '' : `; it does not set ${facts.missing.join(', ')}`
    return { themeId, message: `The theme was stored${lacks}` }
  }

  async #write(id: string, format: ThemeFormat, text: string): Promise<string> {
    const taken = new Set((await this.#store.list()).map((file) => file.id))
    const themeId = format === 'toml' ? id : freeId(id, taken)
    if (!taken.has(themeId) && taken.size >= themesMax) {
      throw new AppError('conflict', `There are ${themesMax} themes already; delete some first`)
    }
    await this.#store.write(themeId, format, text)
    return themeId
  }

  async delete(wanted: string): Promise<ThemeDeleted> {
    const id = cleanId(wanted)
    const found = await this.#formatsOf(id)
    if (found.length === 0 && isBuiltIn(id)) throw refused('A built-in theme cannot be deleted')
    if (found.length === 0) await this.#refuseMissing()
    const filesDeleted: string[] = []
    for (const format of found) {
      await this.#deleteFile(id, format)
      filesDeleted.push(`${id}.${format}`)
    }
    this.#forgetAsGuestTheme([id])
    return { success: true, message: 'The theme was deleted', filesDeleted, errors: [] }
  }

  async #refuseMissing(): Promise<never> {
    const files = await this.#store.list()
    const availableThemes = [...builtInThemes, ...files.map((file) => file.id)]
    const details = 'There is neither a TOML nor a JSON file of this theme'
    throw new AppError('notFound', 'Theme not found', { extra: { details, availableThemes } })
  }

  async #deleteFile(id: string, format: ThemeFormat): Promise<void> {
    try {
      await this.#store.delete(id, format)
    } catch (cause) {
      throw new AppError('failed', `${id}.${format} cannot be deleted`, { cause })
    }
  }

  /** Deletes all uploaded themes; names those that could not be deleted. */
  async cleanUp(): Promise<ThemesCleaned> {
    const deleted: string[] = []
    const errors: string[] = []
    for (const { id, format, fileName } of await this.#store.list()) {
      const isGone = await this.#store.delete(id, format).catch(() => false)
      if (isGone) deleted.push(id)
      else errors.push(`${fileName} cannot be deleted`)
    }
    const deletedThemes = [...new Set(deleted)]
    this.#forgetAsGuestTheme(deletedThemes)
    return {
      success: errors.length === 0,
      message: `${deletedThemes.length} themes were deleted`,
      deletedThemes,
      errors,
      remainingThemes: [...builtInThemes],
    }
  }

  /** Guests must not start with a deleted theme. */
  #forgetAsGuestTheme(ids: readonly string[]): void {
    const current = this.guestTheme()
    if (ids.includes(current) && !isBuiltIn(current)) this.#storeGuestTheme(builtInThemes[0])
  }
}

/** The id, or the id with the first free suffix. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id
  for (let n = 1; n <= clashesMax; n++) {
    const ending = `-${n}`
    const candidate = id.slice(0, idCharsMax - ending.length) + ending
    if (!taken.has(candidate)) return candidate
  }
  throw new AppError('conflict', 'Too many themes have this name; choose another')
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('invalid', 'The file is not UTF-8 text', { cause })
  }
}

function check(text: string, format: ThemeFormat): ThemeFacts {
  try {
    return parseTheme(text, format)
  } catch (error) {
    if (error instanceof ThemeFault) throw refused(error.message)
    throw error
  }
}
