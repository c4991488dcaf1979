import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A compose stack's settings file is a page of text; anything longer is another kind of file. */
const fileBytesMax = 256 * 1024
const line = /^\s*(?:export\s+)?CACHE_DISK_SIZE\s*=\s*(.*?)\s*$/
const quoted = /^(["'])(.*)\1/

function valueIn(text: string): string | null {
  let value: string | null = null
  for (const one of text.split(/\r?\n/)) {
    const [, written] = line.exec(one) ?? []
    if (written === undefined) continue
    // The last assignment counts, as in a shell; text after an unquoted value is a comment.
    value = quoted.exec(written)?.[2] ?? written.replace(/\s+#.*$/, '')
  }
  return value
}

/**
 * `CACHE_DISK_SIZE` of a `.env` file, or of the one in a folder. Returns nothing else of the file,
 * since it holds secrets. Null when missing. Never throws.
 */
export function diskSizeIn(path: string): string | null {
  try {
    const file = statSync(path).isDirectory() ? join(path, '.env') : path
    const stat = statSync(file)
    return stat.isFile() && stat.size <= fileBytesMax ? valueIn(readFileSync(file, 'utf8')) : null
  } catch {
    return null
  }
}
