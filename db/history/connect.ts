import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import postgres, { type Sql } from 'postgres'
import { endsWithin } from '../../src/core/lib/within.ts'
import type { SslMode } from '../../src/core/lib/postgres-settings.ts'
import { perTransaction } from './per-transaction.ts'

/** Address of the history: a host name, or a directory with the Unix socket. */
export interface HistoryTarget {
  host: string
  port: number
  database: string
  user: string
  password: string
  /** Everything of the installation lies in it. Absent: a server of others, with its own search path. */
  schema?: string
  /** Absent: TLS where the server offers it, whoever it is. */
  sslMode?: SslMode | undefined
  /** File with the certificates of authorities to trust; absent: those of the system. */
  sslRootCert?: string | undefined
  /** A pooler may give every transaction another connection to the server. */
  isPooled?: boolean
}

export interface ClientOptions {
  /** Shown in `pg_stat_activity`. */
  name: string
  connections: number
  /** 0: unlimited. */
  statementTimeoutMs: number
  /** For reports: loads array types once per client, and plans for the first rows. */
  isReader?: boolean
  /** Called when the server or the network closed a connection. */
  onClose?: () => void
  /** Cancels a running attempt to reach the server. */
  signal?: AbortSignal
}

/** Seconds until an unanswered attempt counts as failed. */
const connectSeconds = 3
/** From the first connection to the first answer, sign-in included. */
const firstAnswerMs = 4000

/**
 * Reports request the first rows in the order of an index. Where filters make few rows likely, the
 * planner would rather fetch all of them and sort, which is right for averages and wrong for a busy
 * title. Plans are made for the actual values: a generic plan cannot know the limit. Several
 * reports run in parallel, so workers of one would only compete with the others; counting on them,
 * the planner would also read whole tables where an index suffices. Joins in the order of ids look
 * cheap as long as no old download is tagged, and read all of them afterwards.
 */
export const readerSettings = {
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_custom_plan',
  max_parallel_workers_per_gather: '0',
  enable_mergejoin: 'off',
}

const isSocket = (host: string) => host.startsWith('/')

const requiresTls = ({ host, sslMode }: HistoryTarget) =>
  !isSocket(host) && (sslMode === 'require' || sslMode === 'verify-full')

/** TLS as the driver's option, by the modes of libpq. */
function tlsOf({ host, sslMode = 'prefer', sslRootCert }: HistoryTarget) {
  if (isSocket(host) || sslMode === 'disable') return false
  if (sslMode !== 'verify-full') return sslMode
  return {
    rejectUnauthorized: true,
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      checkServerIdentity(host, certificate),
    ...(sslRootCert !== undefined && { ca: readFileSync(sslRootCert, 'utf8') }),
  }
}

/** The only schema in which names are looked up, so that nothing can lie elsewhere. */
const searchPath = (schema: string) => `"${schema.replaceAll('"', '""')}"`

/**
 * One client for one purpose. drizzle changes the date parsers of its client, so bulk code always
 * has its own. Network connections are encrypted when the server offers it.
 */
export function openClient(target: HistoryTarget, options: ClientOptions): Sql {
  const { host, port, database, user, password, schema, isPooled = false } = target
  const settings = {
    TimeZone: 'UTC',
    statement_timeout: options.statementTimeoutMs,
    ...(options.isReader === true ? readerSettings : {}),
    ...(schema !== undefined && { search_path: searchPath(schema) }),
  }
  const client = postgres({
    host,
    port,
    database,
    user,
    password,
    max: options.connections,
    ssl: tlsOf(target),
    connect_timeout: connectSeconds,
    // The caller controls retries: waiting inside the driver would hide that the server is back.
    backoff: () => 0,
    fetch_types: options.isReader ?? false,
    // Of another connection, a pooler knows no statement.
    prepare: !isPooled,
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    connection: { application_name: `larder-${options.name}`, ...(isPooled ? {} : settings) },
  })
  return isPooled ? perTransaction(client, settings) : client
}

// Every Postgres server answers these with one byte, without authentication. A server that agrees to
// TLS and is left notes that in its log, so it is asked only where TLS is required.
const gssRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x30])
const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const tlsAccepted = 'S'

const failure = (code: string) => Object.assign(new Error('no Postgres answered'), { code })

/** Resolves when a Postgres server answers, and offers TLS if that is required. */
function probe(target: HistoryTarget, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { host, port } = target
  const needsTls = requiresTls(target)
  const socket = isSocket(host) ? connect(join(host, `.s.PGSQL.${port}`)) : connect({ host, port })
  const timer = setTimeout(() => reject(failure('CONNECT_TIMEOUT')), connectSeconds * 1000)
  const giveUp = () => socket.destroy()
  signal?.addEventListener('abort', giveUp)
  socket.once('connect', () => socket.write(needsTls ? tlsRequest : gssRequest))
  socket.once('data', (answer) => {
    if (!needsTls || answer.toString('latin1', 0, 1) === tlsAccepted) resolve()
    else reject(failure('TLS_REFUSED'))
  })
  socket.once('error', reject)
  socket.once('close', () => reject(failure('CONNECTION_CLOSED')))
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    socket.destroy()
  })
}

/**
 * Opens a client and waits for its first answer. The driver itself would retry forever, in a busy
 * loop, on a proxy that accepts connections and closes them because its server is unavailable.
 */
export async function reachClient(target: HistoryTarget, options: ClientOptions): Promise<Sql> {
  await probe(target, options.signal)
  const sql = openClient(target, options)
  try {
    if (await endsWithin(sql`select 1`.execute(), firstAnswerMs)) return sql
    throw failure('CONNECTION_CLOSED')
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}
