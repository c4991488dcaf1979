import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderMoved, type OpenFolder } from '../../../core/lib/open-folder.ts'
import { hasCode } from '../index/tree.ts'
import { isPiece } from './piece-check.ts'

/** Levels of hash folders that a tree may have; the usual number is looked for first. */
const levelsKnown = [2, 1, 3]
export const hashName = /^[0-9a-f]{2}$/
const digestName = /^[0-9a-f]{32}$/
/** A piece that the proxy is writing at the moment; it is renamed when it is whole. */
const temporaryName = /^[0-9a-f]{32}\.\d{10}$/

/** A folder of a tree that is held open, from the root down. */
export interface HashFolder {
  folder: OpenFolder
  /** For messages only: work goes through the open folder. */
  path: string
  /** Names from the root to here; none for the root. */
  names: string[]
  parent: HashFolder | null
}

/** Opens a hash folder; the caller closes it. Throws FolderMoved or what opening throws. */
export const openBelow = (parent: HashFolder, name: string): HashFolder => ({
  folder: parent.folder.child(name),
  path: join(parent.path, name),
  names: [...parent.names, name],
  parent,
})

/** Whether a folder and all above it still lie where they were opened. */
export function isInPlace({ folder, path, names, parent }: HashFolder): boolean {
  try {
    if (parent === null) return folder.isAt(path)
    return folder.isAt(parent.folder.pathOf(names.at(-1) ?? '')) && isInPlace(parent)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** A link, a file or another file system at the place of a hash folder: none of the cache. */
export const isNoFolder = (error: unknown): boolean =>
  error instanceof FolderMoved || hasCode(error, 'ENOTDIR', 'ELOOP')

/** Whether a file of this name belongs into this folder: the folders spell the end of its name. */
export const isOfFolder = (name: string, { names }: HashFolder): boolean =>
  digestName.test(name) && name.endsWith(names.toReversed().join(''))

/** What tells a cache from other folders with names of two hex digits. */
export interface Evidence {
  /** Levels of hash folders above the first piece that was found; null: there is none. */
  levels: number | null
  /** Something lies in the hash folders that is no piece. */
  hasForeign: boolean
}

/** Looks below a root until the first piece is found. */
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
    else if (depth === levels && (await isPieceOf(at, name))) evidence.levels = levels
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

async function isPieceOf(at: HashFolder, name: string): Promise<boolean> {
  if (!isOfFolder(name, at)) return false
  try {
    return await isPiece(at.folder.pathOf(name), name)
  } catch (error) {
    // Gone meanwhile, a link or a socket.
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO')) return false
    throw error
  }
}
