import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Contents of all files below a folder by path, byte for byte. Files that a running service renames
 * or deletes meanwhile are left out.
 */
export function storedTexts(folder: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    try {
      texts.set(path, readFileSync(path, 'latin1'))
    } catch (error) {
      if (existsSync(path)) throw error
    }
  }
  return texts
}
