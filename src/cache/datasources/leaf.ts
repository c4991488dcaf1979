import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { readableEntries } from '../../core/lib/readable.ts'
import { readLogFolder } from '../../engines/logs/files/discovery.ts'

/** Entries read per folder; more than this is not a folder of datasources. */
const entriesMax = 5000
const twoHex = /^[0-9a-f]{2}$/i
/** The proxy's note about its settings, next to its cache. */
export const configHashName = 'CONFIGHASH'

const entriesOf = (path: string) => readableEntries(path).slice(0, entriesMax)

/** Links do not count as folders: they lead out of the mount, or in circles. */
const isHashFolder = (entry: Dirent) => entry.isDirectory() && twoHex.test(entry.name)

/**
 * The cache root in a folder, or null without one: it holds hash folders or any file. The stock
 * proxy's volume has its note beside a folder `cache`; then that folder is the root.
 */
export function cacheRootIn(path: string): string | null {
  const entries = entriesOf(path)
  if (entries.some(isHashFolder)) return path
  const hasInner = entries.some((entry) => entry.isDirectory() && entry.name === 'cache')
  const hasNote = entries.some((entry) => entry.isFile() && entry.name === configHashName)
  if (hasInner && hasNote) return join(path, 'cache')
  return entries.some((entry) => entry.isFile()) ? path : null
}

/** Whether the folder holds an access log, or per-service logs in a folder `http`. */
export const isLogFolder = (path: string): boolean => readLogFolder(path).files.length > 0

/** Names of subfolders that may hold datasources. */
export const childrenOf = (path: string): string[] =>
  entriesOf(path)
    .filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name) && !twoHex.test(entry.name))
    .map(({ name }) => name)
    .sort()
