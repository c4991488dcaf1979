import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { closeToOthers, writeSecretFile } from '../../src/core/lib/secret-file.ts'

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
  const path = credentialsPath(dataPath)
  let stored: unknown
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'))
    // Earlier versions left the folder open.
    closeToOthers(dirname(path))
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

/** Replaces the file, in a folder that only our account can enter. */
export function writeCredentials(dataPath: string, credentials: StoredCredentials): void {
  writeSecretFile(credentialsPath(dataPath), JSON.stringify(credentials, null, 2))
}
