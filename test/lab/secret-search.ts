import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Secrets by description. */
export type Secrets = Map<string, string>

/** Encodings in which a text may have been written. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const escaped = JSON.stringify(secret).slice(1, -1)
  const forms = [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    encodeURIComponent(secret),
    secret.replaceAll("'", "''"),
    bytes.toString('base64url'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
  ]
  return [...new Set(forms)]
}

/** Occurrences of each secret in the text, in any encoding; only those that occur. */
export function countIn(text: string, secrets: Secrets): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [what, secret] of secrets) {
    const times = formsOf(secret).reduce((sum, form) => sum + text.split(form).length - 1, 0)
    if (times > 0) found[what] = times
  }
  return found
}

/** Every file below the folder; callers skip those that vanish. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Names of the secrets found in each file. */
export function findIn(folder: string, paths: string[], secrets: Secrets) {
  const found: Record<string, string[]> = {}
  const wanted = [...secrets].map(([what, secret]) => ({ what, forms: formsOf(secret) }))
  for (const path of paths) {
    const bytes = readFileSync(path)
    const inside = wanted
      .filter(({ forms }) => forms.some((form) => bytes.includes(form)))
      .map(({ what }) => what)
    if (inside.length > 0) found[relative(folder, path)] = inside
  }
  return found
}

/** Files that other users may read, write or execute. */
export const openToOthers = (folder: string, paths: string[]): string[] =>
  paths
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => `${relative(folder, path)} ${(statSync(path).mode & 0o777).toString(8)}`)
