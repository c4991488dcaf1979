/** A failure whose message was written for the operator. It holds no secrets. */
export class HistoryFault extends Error {}

export type FailureKind =
  /** The server cannot be reached or went away; another attempt may succeed. */
  | 'connection'
  /** The server is reachable but short of something: memory, disk, connections, rights to write. */
  | 'resources'
  /** The statement took longer than it may. */
  | 'timeout'
  /** User, password, database or rights are wrong. */
  | 'access'
  /** Anything else: a fault of ours. */
  | 'other'

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
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

/** How deep drizzle and postgres.js nest the true cause at most. */
const causeDepthMax = 5

/** The code of the failure, looked for through the causes that libraries wrap around it. */
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

/** Sorts a failure of the driver or of the server. */
export function failureKind(error: unknown): FailureKind {
  const code = failureCode(error)
  if (code === null) return 'other'
  if (connectionCodes.has(code) || code.startsWith('08')) return 'connection'
  if (code === '57014' || code === '55P03') return 'timeout'
  if (accessCodes.has(code)) return 'access'
  if (code.startsWith('53') || code.startsWith('58') || code === '25006') return 'resources'
  return 'other'
}

interface Target {
  host: string
  port: number
  database: string
  user: string
}

const createRightHint = (target: Target) =>
  `Make it the owner: ALTER DATABASE "${target.database}" OWNER TO "${target.user}"`

const unresolved = (place: string) => `The name of ${place} cannot be resolved: check POSTGRES_HOST`
const unreachable = (place: string) => `${place} cannot be reached: check host, port and firewall`
const silent = (place: string) => `${place} does not accept connections: is it running?`
const refusedUser = (place: string, target: Target) =>
  `${place} refused the user "${target.user}": check user and password`
const refusedTables = (target: Target) =>
  `The user "${target.user}" may not create tables. ${createRightHint(target)}`

const sentences = (place: string, target: Target): Record<string, string> => ({
  '28P01': refusedUser(place, target),
  '28000': refusedUser(place, target),
  '3D000': `${place} has no database "${target.database}": create it or set POSTGRES_DB`,
  '42501': refusedTables(target),
  '3F000': refusedTables(target),
  ENOTFOUND: unresolved(place),
  EAI_AGAIN: unresolved(place),
  EAI_FAIL: unresolved(place),
  EAI_NODATA: unresolved(place),
  ECONNREFUSED: silent(place),
  ENOENT: silent(place),
  CONNECT_TIMEOUT: unreachable(place),
  ETIMEDOUT: unreachable(place),
  EHOSTUNREACH: unreachable(place),
  ENETUNREACH: unreachable(place),
  '53300': `${place} has no free connection`,
  '53100': `${place} has no free disk space`,
  '25006': `${place} is read-only`,
})

/** One sentence for the operator: what is wrong and what to do. Never a password, never a query. */
export function describeFailure(error: unknown, target: Target): string {
  if (error instanceof HistoryFault) return error.message
  const code = failureCode(error)
  const place = target.host.startsWith('/')
    ? 'Postgres'
    : `Postgres at ${target.host}:${target.port}`
  const sentence = sentences(place, target)[code ?? '']
  if (sentence !== undefined) return sentence
  if (failureKind(error) === 'connection') return `The connection to ${place} broke`
  return `${place} answered with an error${code === null ? '' : ` (${code})`}`
}
