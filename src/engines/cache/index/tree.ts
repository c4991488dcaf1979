import { lstatSync, readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Phrase } from '../../../core/lib/phrases.ts'
import { dirName, levelNumbers } from '../format/key.ts'
import { treeProblem } from './problems.ts'

/** Hash directories of a tree with two levels of two digits. */
export const hashDirs = 65_536
const twoHex = /^[0-9a-f]{2}$/
const oneHex = /^[0-9a-f]$/
const digestName = /^[0-9a-f]{32}$/
/** nginx writes to the file's name plus a dot and ten digits, and renames the complete file. */
const temporaryName = /^[0-9a-f]{32}\.\d{10}$/
/** First-level directories that are read to determine the layout. */
const layoutSamples = 4

/** A tree cannot be walked; the message is for users. */
export class TreeProblem extends Error {
  /** The same for translated pages; null where none shows it. */
  readonly phrase: Phrase | null

  constructor(problem: string | Phrase) {
    super(typeof problem === 'string' ? problem : problem.text)
    this.phrase = typeof problem === 'string' ? null : problem
  }
}

export interface Tree {
  /** Canonical path of the directory that holds the hash directories. */
  path: string
  /** Numbers of the existing hash directories, in order. */
  dirs: Uint16Array
  /** Directories of both levels, and those of them with a hash name. */
  directories: number
  hexDirectories: number
}

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** User-facing text for a failed call: only code and path, no stack. */
export const diskProblem = (error: unknown, path: string): string => diskPhrase(error, path).text

/** The same with its key and values. */
export function diskPhrase(error: unknown, path: string): Phrase {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return treeProblem('missing', { path })
  if (hasCode(error, 'EACCES', 'EPERM')) return treeProblem('denied', { path })
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return treeProblem('unreadable', { path, code })
}

/** Resolves links once; all work stays below the result. Throws TreeProblem. */
export function canonicalPath(path: string): string {
  try {
    const real = realpathSync(path)
    if (!statSync(real).isDirectory()) throw new TreeProblem(treeProblem('notDirectory', { path }))
    return real
  } catch (error) {
    if (error instanceof TreeProblem) throw error
    throw new TreeProblem(diskPhrase(error, path))
  }
}

export const entriesOf = (path: string): Dirent[] => readdirSync(path, { withFileTypes: true })

/** Some file systems list entries without their kind; those take a stat. */
function kindOf(path: string, entry: Dirent): 'file' | 'directory' | 'link' | 'other' | 'gone' {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()) {
    return 'other'
  }
  try {
    const stats = lstatSync(join(path, entry.name))
    if (stats.isFile()) return 'file'
    if (stats.isDirectory()) return 'directory'
    return stats.isSymbolicLink() ? 'link' : 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'gone'
    throw error
  }
}

export type EntryKind = 'cacheFile' | 'temporary' | 'foreign' | 'link' | 'special' | 'gone'

/** Kind of an entry in hash directory `dir`. Only a `cacheFile` is ever opened. */
export function entryKind(path: string, dir: number, entry: Dirent): EntryKind {
  const kind = kindOf(path, entry)
  if (kind === 'link' || kind === 'gone') return kind
  if (kind === 'other') return 'special'
  if (kind === 'directory') return 'foreign'
  const { name } = entry
  if (name.length === 32)
    return digestName.test(name) && isOfDir(name, dir) ? 'cacheFile' : 'foreign'
  return temporaryName.test(name) ? 'temporary' : 'foreign'
}

function isOfDir(name: string, dir: number): boolean {
  return (
    Number.parseInt(name.slice(30), 16) === dir >>> 8 &&
    Number.parseInt(name.slice(28, 30), 16) === (dir & 0xff)
  )
}

/** Where the hash directories of a canonical root are; the root itself when it cannot be listed. */
export function treePath(root: string): string {
  try {
    return placeOf(root).path
  } catch {
    return root
  }
}

/** The directory that holds the hash directories: the root, or the only one below it with any. */
function placeOf(root: string): { path: string; top: Dirent[] } {
  const top = entriesOf(root)
  const isHashed = (entry: Dirent) => entry.isDirectory() && twoHex.test(entry.name)
  if (top.some(isHashed)) return { path: root, top }
  const below = top.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  const holders = below.slice(0, layoutSamples).flatMap((entry) => {
    const path = join(root, entry.name)
    const inside = entriesOf(path)
    return inside.some(isHashed) && !oneHex.test(entry.name) ? [{ path, top: inside }] : []
  })
  const [only] = holders
  return below.length <= layoutSamples && holders.length === 1 && only ? only : { path: root, top }
}

function refuse(levels: string): never {
  throw new TreeProblem(treeProblem('layout', { levels }))
}

/** Contents of an unused cache: the file system's own folder and the proxy's marker file. */
const isOfNewDisk = (name: string): boolean =>
  name.startsWith('.') || name === 'lost+found' || name === 'CONFIGHASH' || name === 'cache'

function checkTop(path: string, top: Dirent[]): void {
  const hasOneDigit = top.some((entry) => entry.isDirectory() && oneHex.test(entry.name))
  if (hasOneDigit) refuse('levels=1 / levels=1:2')
  const hasHashed = top.some((entry) => entry.isDirectory() && twoHex.test(entry.name))
  if (hasHashed) return
  if (top.some((entry) => digestName.test(entry.name))) throw new TreeProblem(treeProblem('flat'))
  if (top.some((entry) => !isOfNewDisk(entry.name))) {
    throw new TreeProblem(treeProblem('foreign', { path }))
  }
}

function checkBelow(path: string, dirs: Uint16Array, firstLevel: Dirent[]): void {
  if (dirs.length === 0) {
    for (const { name } of firstLevel.slice(0, layoutSamples)) {
      if (entriesOf(join(path, name)).some((entry) => digestName.test(entry.name))) {
        refuse('levels=2')
      }
    }
    return
  }
  const inside = Array.from(dirs.slice(0, layoutSamples)).flatMap((dir) =>
    entriesOf(join(path, dirName(dir))),
  )
  const isDeeper = inside.some((entry) => entry.isDirectory() && /^[0-9a-f]{1,2}$/.test(entry.name))
  if (isDeeper && !inside.some((entry) => digestName.test(entry.name))) refuse('levels=2:2:2')
}

/**
 * Lists the hash directories below a canonical root: reads 257 directories and no file. Throws
 * TreeProblem for a root that is not the proxy's cache or cannot be read.
 */
export function listTree(root: string): Tree {
  try {
    const { path, top } = placeOf(root)
    checkTop(path, top)
    const firstLevel = top.filter((entry) => twoHex.test(entry.name) && entry.isDirectory())
    const numbers: number[] = []
    let directories = top.filter((entry) => entry.isDirectory()).length
    for (const { name } of firstLevel) {
      const high = (levelNumbers.get(name) ?? 0) << 8
      for (const entry of entriesOf(join(path, name))) {
        if (!entry.isDirectory()) continue
        directories++
        const low = levelNumbers.get(entry.name)
        if (low !== undefined) numbers.push(high | low)
      }
    }
    const dirs = Uint16Array.from(numbers).toSorted()
    checkBelow(path, dirs, firstLevel)
    return { path, dirs, directories, hexDirectories: firstLevel.length + dirs.length }
  } catch (error) {
    if (error instanceof TreeProblem) throw error
    throw new TreeProblem(diskPhrase(error, root))
  }
}
