import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderAccess } from './contract.ts'
import { folderProblem } from './folder-facts.ts'

/** Folders and cache files that are tried, on the way down to a few files. */
const triedMax = 64
const triedPerFolder = 4
const { R_OK, W_OK, X_OK } = constants
/** Names below a cache: folders of digits, and files named by their whole digest. */
const cacheEntry = /^[0-9a-f]{1,3}$|^[0-9a-f]{32}$/

/** The error code of an access that the system refuses; null: granted. Nothing is written. */
function refusal(path: string, mode: number): string | null {
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    return (error as { code?: string }).code ?? ''
  }
}

const isRefused = (path: string, mode: number): boolean =>
  ['EACCES', 'EPERM'].includes(refusal(path, mode) ?? '')

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => cacheEntry.test(name))
      .slice(0, triedPerFolder)
  } catch {
    return []
  }
}

/** The first folder or cache file below `root` that may not be read. */
function firstRefused(root: string): string | null {
  const left = [root]
  for (let tried = 0; tried < triedMax; tried++) {
    const folder = left.pop()
    if (folder === undefined) return null
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isFile() && isRefused(path, R_OK)) return path
      if (!entry.isDirectory()) continue
      if (isRefused(path, R_OK | X_OK)) return path
      left.push(path)
    }
  }
  return null
}

/** Whether a folder and the cache files in it may be read and deleted. Never throws. */
export function folderAccess(path: string): FolderAccess {
  const code = refusal(path, W_OK | X_OK)
  return {
    problem: folderProblem(path),
    write: code === null ? 'granted' : code === 'EROFS' ? 'readOnly' : 'refused',
    refused: firstRefused(path),
  }
}
