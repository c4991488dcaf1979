import { readFileSync } from 'node:fs'

/** A cache file as listed by `find`. */
export interface FoundFile {
  path: string
  bytes: number
  /** Differs after the file was stored again: inode numbers alone are reused. */
  version: string
}
export interface CacheFile extends FoundFile {
  key: string
}

const find = (root: string, ...options: string[]): string[] =>
  Bun.spawnSync(['find', root, '-mindepth', '1', ...options])
    .stdout.toString()
    .split('\n')
    .filter((line) => line !== '')

/** Every file except those that the proxy is writing. */
export const listFiles = (root: string): FoundFile[] =>
  find(root, '-type', 'f', '-printf', '%i@%C@ %s %p\\n').flatMap((line) => {
    const [version = '', bytes = '', path = ''] = line.split(' ')
    if (/\.\d{10}$/.test(path)) return []
    return [{ path, bytes: Number(bytes), version }]
  })

/** The same with the key line of each. */
export const filesOf = (root: string): CacheFile[] =>
  listFiles(root).map((file) => ({ ...file, key: keyOf(file.path) }))

/** Everything below the root other than files, by relative path. */
export const foldersOf = (root: string): string[] =>
  find(root, '!', '-type', 'f', '-printf', '%P\\n').toSorted()

/** The key line of a cache file. */
function keyOf(path: string): string {
  const text = readFileSync(path).subarray(0, 4096).toString('latin1')
  const key = /\nKEY: ([^\n]*)\n/.exec(text)?.[1]
  if (key === undefined) throw new Error(`${path} has no key`)
  return key
}
