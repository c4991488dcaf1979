import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { lookInto } from '../../engines/logs/files/discovery.ts'

/** Entries of one folder that are looked at; more are no folder of datasources. */
const entriesMax = 5000
const twoHex = /^[0-9a-f]{2}$/i
/** The proxy's note about itself, beside its cache. */
export const configHashName = 'CONFIGHASH'

export function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).slice(0, entriesMax)
  } catch {
    return []
  }
}

/** Links are no folders here: they lead out of what was mounted, or round in circles. */
const isHashFolder = (entry: Dirent) => entry.isDirectory() && twoHex.test(entry.name)

/**
 * The root of the cache in a folder, or null when it holds none: hash folders or any file. The
 * volume of the stock proxy has its note beside a folder `cache`; then it is that folder.
 */
export function cacheRootIn(path: string): string | null {
  const entries = entriesOf(path)
  if (entries.some(isHashFolder)) return path
  const hasInner = entries.some((entry) => entry.isDirectory() && entry.name === 'cache')
  const hasNote = entries.some((entry) => entry.isFile() && entry.name === configHashName)
  if (hasInner && hasNote) return join(path, 'cache')
  return entries.some((entry) => entry.isFile()) ? path : null
}

/** Whether an access log lies there, or per-service logs in a folder `http` below. */
export const isLogFolder = (path: string): boolean => lookInto(path).files.length > 0

/** Names of folders that may hold datasources. */
export const childrenOf = (path: string): string[] =>
  entriesOf(path)
    .filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name) && !twoHex.test(entry.name))
    .map(({ name }) => name)
    .sort()
