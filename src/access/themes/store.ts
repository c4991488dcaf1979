import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ThemeFormat } from './parse.ts'

/** Files listed; an installation has a handful. */
const filesMax = 500
/** Files placed by hand may be larger than an upload; they are not read. */
export const themeBytesMax = 1_048_576

export interface ThemeFile {
  id: string
  format: ThemeFormat
  /** `<id>.toml` or `<id>.json`. */
  fileName: string
}

const idPattern = /^[A-Za-z0-9_-]{1,50}$/
const filePattern = /^([A-Za-z0-9_-]{1,50})\.(toml|json)$/

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The folder of uploaded themes. An id is always a plain file name inside it. */
export class ThemeStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  #path(id: string, format: ThemeFormat): string {
    if (!idPattern.test(id)) throw new Error('not the id of a theme')
    return join(this.#folder, `${id}.${format}`)
  }

  /** Sorted by name. Skips links and folders. */
  async list(): Promise<ThemeFile[]> {
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isNotFound(error)) return []
      throw error
    })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => filePattern.exec(name))
      .filter((match) => match !== null)
      .map(([fileName, id = '', format]) => ({ id, format: format as ThemeFormat, fileName }))
      .sort((a, b) => a.fileName.localeCompare(b.fileName))
      .slice(0, filesMax)
  }

  /** Differs when the file was changed; null when there is no such file. */
  async stamp(id: string, format: ThemeFormat): Promise<string | null> {
    const facts = await lstat(this.#path(id, format)).catch(() => null)
    return facts === null ? null : `${facts.ino} ${facts.mtimeMs} ${facts.size}`
  }

  /** Null when there is no such file, or it is too large to be a theme. */
  async read(id: string, format: ThemeFormat): Promise<string | null> {
    const path = this.#path(id, format)
    try {
      const facts = await lstat(path)
      if (!facts.isFile() || facts.size > themeBytesMax) return null
      return await readFile(path, 'utf8')
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  async write(id: string, format: ThemeFormat, text: string): Promise<void> {
    const path = this.#path(id, format)
    await mkdir(this.#folder, { recursive: true })
    const fresh = join(this.#folder, `.${crypto.randomUUID()}.new`)
    await writeFile(fresh, text, { flag: 'wx' })
    await rename(fresh, path)
  }

  /** False when there was no such file. Throws when it cannot be deleted. */
  async delete(id: string, format: ThemeFormat): Promise<boolean> {
    try {
      await rm(this.#path(id, format))
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
}
