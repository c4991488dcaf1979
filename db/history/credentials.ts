import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Credentials kept between starts by the set-up pages and the private server. Host etc.: external
 * only.
 */
export interface StoredCredentials {
  username: string
  password: string
  host?: string
  port?: number
  database?: string
}

export const credentialsPath = (dataPath: string) =>
  join(dataPath, 'config', 'postgres-credentials.json')

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Null without a readable file; then a new password is generated (embedded) or requested. */
export function readCredentials(dataPath: string): StoredCredentials | null {
  let stored: unknown
  try {
    stored = JSON.parse(readFileSync(credentialsPath(dataPath), 'utf8'))
  } catch {
    return null
  }
  if (typeof stored !== 'object' || stored === null) return null
  const { username, password, host, port, database } = stored as Record<string, unknown>
  if (!isText(username) || !isText(password)) return null
  return {
    username,
    password,
    ...(isText(host) && { host }),
    ...(typeof port === 'number' && { port }),
    ...(isText(database) && { database }),
  }
}

/** Replaces the file atomically, readable only by our account. */
export function writeCredentials(dataPath: string, credentials: StoredCredentials): void {
  const path = credentialsPath(dataPath)
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.new`
  writeFileSync(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  chmodSync(fresh, 0o600)
  renameSync(fresh, path)
}
