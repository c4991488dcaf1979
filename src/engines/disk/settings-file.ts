import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A settings file of a compose stack is a page of text; more is something else. */
const fileBytesMax = 256 * 1024
const line = /^\s*(?:export\s+)?CACHE_DISK_SIZE\s*=\s*(.*?)\s*$/
const quoted = /^(["'])(.*)\1/

function valueIn(text: string): string | null {
  let value: string | null = null
  for (const one of text.split(/\r?\n/)) {
    const [, written] = line.exec(one) ?? []
    if (written === undefined) continue
    // The last one counts, as for the shell; what follows a value in plain text is a remark.
    value = quoted.exec(written)?.[2] ?? written.replace(/\s+#.*$/, '')
  }
  return value
}

/**
 * `CACHE_DISK_SIZE` of a `.env` file, or of the one in a folder; nothing else of the file leaves
 * here, since it holds secrets. Null when it is not there. Never throws.
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
