import type { HistoryTarget } from './connect.ts'

/** A failure with a message for the operator. Contains no secrets. */
export class HistoryFault extends Error {}

export type FailureKind =
  /** The server is unreachable or was stopped; another attempt may succeed. */
  | 'connection'
  /** The server is reachable but lacks a resource: memory, disk, connections, write permission. */
  | 'resources'
  /** The statement exceeded its time limit. */
  | 'timeout'
  /** User, password, database or privileges are wrong. */
  | 'access'
  /** Anything else: a bug of ours. */
  | 'other'

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'TLS_REFUSED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'ERR_SOCKET_CLOSED',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '25P04',
])

const accessCodes = new Set(['28000', '28P01', '3D000', '42501', '3F000'])

/** Limit for the nesting of causes by drizzle and postgres.js. */
const causeDepthMax = 5

/** The code of the failure, searched along the chain of causes. */
export function failureCode(error: unknown): string | null {
  let current: unknown = error
  for (let depth = 0; depth < causeDepthMax; depth++) {
    if (typeof current !== 'object' || current === null) return null
    const { code, cause } = current as { code?: unknown; cause?: unknown }
    if (typeof code === 'string') return code
    current = cause
  }
  return null
}

/** Classifies a failure of the driver or of the server. */
export function failureKind(error: unknown): FailureKind {
  const code = failureCode(error)
  if (code === null) return 'other'
  if (connectionCodes.has(code) || code.startsWith('08')) return 'connection'
  if (code === '57014' || code === '55P03') return 'timeout'
  if (accessCodes.has(code)) return 'access'
  if (code.startsWith('53') || code.startsWith('58') || code === '25006') return 'resources'
  return 'other'
}

type Target = Omit<HistoryTarget, 'password'>

const createRightHint = ({ database, user, schema = 'public' }: Target) =>
  schema === 'public'
    ? `Make it the owner: ALTER DATABASE "${database}" OWNER TO "${user}"`
    : `Give it a schema: CREATE SCHEMA "${schema}" AUTHORIZATION "${user}"`

/** Whose settings a failure's advice names: ours, or those of a server that the user entered. */
type Owner = 'own' | 'foreign'

const unresolved = (place: string, owner: Owner) =>
  `The name of ${place} cannot be resolved: check ${owner === 'own' ? 'POSTGRES_HOST' : 'the host'}`
const unreachable = (place: string) => `${place} cannot be reached: check host, port and firewall`
const silent = (place: string) => `${place} does not accept connections: is it running?`
const refusedUser = (place: string, target: Target) =>
  `${place} refused the user "${target.user}": check user and password`
const missingDatabase = (place: string, { database }: Target, owner: Owner) =>
  `${place} has no database "${database}": ` +
  (owner === 'own' ? 'create it or set POSTGRES_DB' : 'check its name')
const refusedTables = (place: string, target: Target, owner: Owner) =>
  owner === 'own'
    ? `The user "${target.user}" may not create tables. ${createRightHint(target)}`
    : `${place} does not let the user "${target.user}" read: grant USAGE and SELECT`

/** OpenSSL's words for a certificate whose authority is not known here. */
const untrustedCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

const sentences = (place: string, target: Target, owner: Owner): Record<string, string> => ({
  '28P01': refusedUser(place, target),
  '28000': refusedUser(place, target),
  '3D000': missingDatabase(place, target, owner),
  '42501': refusedTables(place, target, owner),
  '3F000': refusedTables(place, target, owner),
  ENOTFOUND: unresolved(place, owner),
  EAI_AGAIN: unresolved(place, owner),
  EAI_FAIL: unresolved(place, owner),
  EAI_NODATA: unresolved(place, owner),
  ECONNREFUSED: silent(place),
  ENOENT: silent(place),
  CONNECT_TIMEOUT: unreachable(place),
  ETIMEDOUT: unreachable(place),
  EHOSTUNREACH: unreachable(place),
  ENETUNREACH: unreachable(place),
  '53300': `${place} has no free connection`,
  '53100': `${place} has no free disk space`,
  '25006': `${place} is read-only`,
  TLS_REFUSED: `${place} does not offer TLS: set up its certificate`,
  ERR_TLS_CERT_ALTNAME_INVALID: `The certificate of ${place} is for another host name: use one of its own`,
  CERT_HAS_EXPIRED: `The certificate of ${place} has expired`,
  ...Object.fromEntries(
    untrustedCodes.map((code) => [
      code,
      `The certificate of ${place} is not from a trusted authority: set POSTGRES_SSLROOTCERT to the ` +
        'certificate of the authority that signed it',
    ]),
  ),
})

/**
 * One sentence for the operator: what is wrong and what to do. Contains no password and no query.
 */
export function describeFailure(error: unknown, target: Target, owner: Owner = 'own'): string {
  if (error instanceof HistoryFault) return error.message
  const code = failureCode(error)
  const place = target.host.startsWith('/')
    ? 'Postgres'
    : `Postgres at ${target.host}:${target.port}`
  const sentence = sentences(place, target, owner)[code ?? '']
  if (sentence !== undefined) return sentence
  if (failureKind(error) === 'connection') return `The connection to ${place} broke`
  return `${place} answered with an error${code === null ? '' : ` (${code})`}`
}
