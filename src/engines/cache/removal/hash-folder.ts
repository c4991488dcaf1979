import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderMoved, type OpenFolder } from '../../../core/lib/open-folder.ts'
import { hasCode } from '../index/tree.ts'
import { isCacheFile } from './cache-file-check.ts'

/** Supported levels of hash folders; the usual number is tried first. */
const levelsKnown = [2, 1, 3]
export const hashName = /^[0-9a-f]{2}$/
const digestName = /^[0-9a-f]{32}$/
/** A file that the proxy is writing; it renames the complete file. */
const temporaryName = /^[0-9a-f]{32}\.\d{10}$/

/** A folder of a tree that is held open, from the root down. */
export interface HashFolder {
  folder: OpenFolder
  /** For messages only: file operations go through the open folder. */
  path: string
  /** Names from the root to here; none for the root. */
  names: string[]
  parent: HashFolder | null
}

/** Opens a hash folder, which the caller closes. Throws FolderMoved or the error of `open`. */
export const openBelow = (parent: HashFolder, name: string): HashFolder => ({
  folder: parent.folder.child(name),
  path: join(parent.path, name),
  names: [...parent.names, name],
  parent,
})

/** Whether a folder and all its parents are still where they were opened. */
export function isInPlace({ folder, path, names, parent }: HashFolder): boolean {
  try {
    if (parent === null) return folder.isAt(path)
    return folder.isAt(parent.folder.pathOf(names.at(-1) ?? '')) && isInPlace(parent)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** A link, a file or another file system in place of a hash folder: not part of the cache. */
export const isNoFolder = (error: unknown): boolean =>
  error instanceof FolderMoved || hasCode(error, 'ENOTDIR', 'ELOOP')

/**
 * Whether a file of this name belongs in this folder: folder names repeat the end of the file's.
 */
export const isOfFolder = (name: string, { names }: HashFolder): boolean =>
  digestName.test(name) && name.endsWith(names.toReversed().join(''))

/** Distinguishes a cache from other folders with names of two hex digits. */
export interface Evidence {
  /** Levels of hash folders above the first cache file; null: none found. */
  levels: number | null
  /** The hash folders contain something that is not a cache file. */
  hasForeign: boolean
}

/** Searches below a root up to the first cache file. */
export async function evidenceIn(root: HashFolder, isOver: () => boolean): Promise<Evidence> {
  const evidence: Evidence = { levels: null, hasForeign: false }
  for (const levels of levelsKnown) await search(root, { levels, evidence, isOver })
  return evidence
}

interface Search {
  levels: number
  evidence: Evidence
  isOver(): boolean
}

async function search(at: HashFolder, wanted: Search): Promise<void> {
  const { levels, evidence } = wanted
  const depth = at.names.length
  for (const name of await readdir(at.folder.pathOf(''))) {
    if (evidence.levels !== null || wanted.isOver()) return
    if (hashName.test(name)) {
      if (depth < levels) await searchBelow(at, name)
    } else if (depth === 0 || temporaryName.test(name)) continue
    else if (depth === levels && (await isCacheFileOf(at, name))) evidence.levels = levels
    else evidence.hasForeign = true
  }

  async function searchBelow(parent: HashFolder, name: string): Promise<void> {
    let below
    try {
      below = openBelow(parent, name)
    } catch (error) {
      if (!isNoFolder(error) && !hasCode(error, 'ENOENT')) throw error
      return
    }
    try {
      await search(below, wanted)
    } finally {
      below.folder.close()
    }
  }
}

async function isCacheFileOf(at: HashFolder, name: string): Promise<boolean> {
  if (!isOfFolder(name, at)) return false
  try {
    return await isCacheFile(at.folder.pathOf(name), name)
  } catch (error) {
    // Deleted in the meantime, a link or a socket.
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO')) return false
    throw error
  }
}
