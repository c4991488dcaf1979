import { readdirSync, readFileSync, type Dirent } from 'node:fs'

/* Files and folders that may be gone, or belong to another user: an ended process, a dead link. */

/** The text of a file; empty where it cannot be read. */
export function readableText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** What a folder holds; nothing where it cannot be listed. */
export function readableEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The same by name. */
export function readableNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
