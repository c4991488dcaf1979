import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A compose stack's settings file is a page of text; anything longer is another kind of file. */
const fileBytesMax = 256 * 1024
const line = /^\s*(?:export\s+)?([A-Z0-9_]+)\s*=\s*(.*?)\s*$/
const quoted = /^(["'])(.*)\1/
/** Settings of the caching stack that are read; all others may be secrets. */
export const stackSetting =
  /^(?:CACHE_DISK_SIZE|CACHE_DOMAINS_REPO|CACHE_DOMAINS_BRANCH|NOFETCH|LANCACHE_IP|DISABLE_[A-Z0-9_]+)$/

function valuesIn(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const one of text.split(/\r?\n/)) {
    const [, name = '', written = ''] = line.exec(one) ?? []
    if (!stackSetting.test(name)) continue
    // The last assignment counts, as in a shell; text after an unquoted value is a comment.
    values.set(name, quoted.exec(written)?.[2] ?? written.replace(/\s+#.*$/, ''))
  }
  return values
}

/** What a stack's settings file says, and the path of that file. */
export interface SettingsFile {
  path: string
  values: Map<string, string>
}

/**
 * Settings of the caching stack in a `.env` file, or in the one of a folder. Returns nothing else
 * of the file, since it holds secrets. Null when missing. Never throws.
 */
export function stackSettingsIn(path: string): SettingsFile | null {
  try {
    const file = statSync(path).isDirectory() ? join(path, '.env') : path
    const stat = statSync(file)
    if (!stat.isFile() || stat.size > fileBytesMax) return null
    return { path: file, values: valuesIn(readFileSync(file, 'utf8')) }
  } catch {
    return null
  }
}
