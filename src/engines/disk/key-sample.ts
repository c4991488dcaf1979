import { closeSync, fstatSync, openSync, readSync, constants } from 'node:fs'
import { join } from 'node:path'
import { readableEntries } from '../../core/lib/readable.ts'
import { readHead } from '../cache/format/header.ts'
import { digestOf } from '../cache/format/key.ts'
import { parseKey } from '../cache/format/key-scheme.ts'
import type { KeySample } from './contract.ts'

/** Folders and files that are sampled, anywhere in the cache. */
const directoriesMax = 64
const filesMax = 64
/** Subfolders sampled per folder, spread over their names. */
const spread = 8
/** Per folder, so that a single object does not represent the cache. */
const filesPerDirectory = 2
/** Holds header and key; only the longest keys do not fit. */
const headBytes = 4096

const hashDirectory = /^[0-9a-f]{1,3}$/
const cacheFile = /^[0-9a-f]{32}$/

/** At most `count` elements, evenly spread over the list. */
function spreadOf<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list]
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)] as T)
}

function* filesBelow(root: string, visited: { directories: number }): Generator<[string, string]> {
  const stack = [root]
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
    if (visited.directories === directoriesMax) return
    visited.directories++
    const entries = readableEntries(folder)
    const files = entries.filter((entry) => entry.isFile() && cacheFile.test(entry.name))
    for (const { name } of spreadOf(files, filesPerDirectory)) yield [join(folder, name), name]
    const below = entries.filter((entry) => entry.isDirectory() && hashDirectory.test(entry.name))
    for (const { name } of spreadOf(below, spread)) stack.push(join(folder, name))
  }
}

/** The key in a cache file's header, or null without a valid one. */
function keyIn(path: string, name: string): string | null {
  let file = -1
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const bytes = Buffer.alloc(headBytes)
    const read = readSync(file, bytes, 0, headBytes, 0)
    const { key } = readHead(bytes.subarray(0, read), fstatSync(file).size, name)
    return key === null ? null : Buffer.from(key).toString('latin1')
  } catch {
    // Evicted in the meantime, or unreadable: the next one will do.
    return null
  } finally {
    if (file >= 0) closeSync(file)
  }
}

/** Reads the keys of files spread over a cache, at most 64 files in 64 folders. Never throws. */
export function sampleKeys(root: string): KeySample {
  const visited = { directories: 0 }
  const slices = new Map<number, number>()
  let filesRead = 0
  let wholeFiles = 0
  let cacheFiles = 0
  for (const [path, name] of filesBelow(root, visited)) {
    if (filesRead === filesMax) break
    filesRead++
    const text = keyIn(path, name)
    if (text !== null && digestOf(Buffer.from(text, 'latin1')) === name) cacheFiles++
    const key = parseKey(text ?? '')
    if (key === null) continue
    if (key.sliceStart === -1) wholeFiles++
    if (key.sliceStart < 0) continue
    const bytes = key.sliceEnd - key.sliceStart + 1
    if (bytes > 0 && key.sliceStart % bytes === 0) slices.set(bytes, (slices.get(bytes) ?? 0) + 1)
  }
  return {
    filesRead,
    directoriesRead: visited.directories,
    slices: [...slices],
    wholeFiles,
    cacheFiles,
  }
}
