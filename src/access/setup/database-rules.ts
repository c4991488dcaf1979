import type { StoredCredentials } from '../../../db/history/credentials.ts'
import { characterClasses } from '../accounts/credential-rules.ts'

const usualLengthMin = 8
const lengthMax = 256
const ownLengthMin = 12
const classesMin = 3
const guessable = new Set([
  'lancache',
  'password',
  '12345678',
  'admin123',
  'qwerty123',
  'lancache1',
  'lancache123',
])

/** Why a database password is invalid, or null. */
export function databasePasswordFault(password: string, lengthMin = usualLengthMin): string | null {
  if (password === '') return 'A password is required'
  if (password.length < lengthMin) return `A password has at least ${lengthMin} characters`
  if (password.length > lengthMax) return `A password has at most ${lengthMax} characters`
  // oxlint-disable-next-line no-control-regex -- NUL is one of the characters that break clients
  if (/[\\\r\n\u0000]/.test(password)) return 'A password cannot contain backslashes or line breaks'
  if (guessable.has(password.toLowerCase())) return 'This password is too common; choose another'
  return null
}

/** The same plus strength: the server is ours, so no policy can conflict. */
export function ownPasswordFault(password: string, username: string): string | null {
  const fault = databasePasswordFault(password, ownLengthMin)
  if (fault !== null) return fault
  if (characterClasses(password) < classesMin) {
    return 'A password needs three of: lower case, upper case, digits, other characters'
  }
  if (password.toLowerCase() === username.toLowerCase()) {
    return 'The password must differ from the username'
  }
  return null
}

export const roleNameFault = (name: string): string | null =>
  /^[A-Za-z0-9_]{1,63}$/.test(name)
    ? null
    : 'A username can contain only letters, digits and underscores'

const nameFault = (what: string, name: string): string | null =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  name === '' || Buffer.byteLength(name) > 63 || /[\u0000-\u001f\u007f]/.test(name)
    ? `The ${what} is missing or not a name`
    : null

export type ExternalServer = Required<StoredCredentials>

/** Why these details cannot be valid, or null; only the server can confirm them. */
export function externalFault(server: ExternalServer): string | null {
  if (!/^[\w.:/[\]-]{1,255}$/.test(server.host)) return 'The host is missing or not a host name'
  if (server.port < 1 || server.port > 65_535) return 'The port must be a number from 1 to 65535'
  return (
    nameFault('database', server.database) ??
    nameFault('username', server.username) ??
    databasePasswordFault(server.password)
  )
}
