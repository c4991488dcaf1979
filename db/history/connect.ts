import { connect } from 'node:net'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { within } from './within.ts'

/** How to reach the history: a host name, or a directory that holds the Unix socket. */
export interface HistoryTarget {
  host: string
  port: number
  database: string
  user: string
  password: string
}

export interface ClientOptions {
  /** Shown in `pg_stat_activity`. */
  name: string
  connections: number
  /** 0: as long as it takes. */
  statementTimeoutMs: number
  /** For reports: array types are looked up once per client, plans are made for pages. */
  isReader?: boolean
  /** Called when the server or the way to it ended a connection. */
  onClose?: () => void
  /** Ends an attempt to reach the server that is under way. */
  signal?: AbortSignal
}

/** Seconds until an unanswered attempt counts as failed. */
const connectSeconds = 3
/** From the first connection to the first answer, sign-in included. */
const firstAnswerMs = 4000

/**
 * Reports ask for the first rows in the order of an index. Where filters make few rows likely, the
 * planner would rather fetch all of them and sort, which is right for averages and wrong for a
 * busy title. Plans are made for the values at hand: a plan for any value cannot know the limit.
 * Several reports are asked side by side, so helpers of one would only take turns with the others;
 * counting on them, the planner would also read whole tables where an index has the answer. Joins in
 * the order of ids look cheap as long as nobody tagged an old download, and read all of them then.
 */
export const readerSettings = {
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_custom_plan',
  max_parallel_workers_per_gather: '0',
  enable_mergejoin: 'off',
}

/**
 * One client for one purpose. drizzle changes the date parsers of the client it is given, so bulk
 * code always has its own. Over the network encryption is used when the server offers it.
 */
export function openClient(target: HistoryTarget, options: ClientOptions): Sql {
  return postgres({
    ...target,
    max: options.connections,
    ssl: target.host.startsWith('/') ? false : 'prefer',
    connect_timeout: connectSeconds,
    // The caller owns the retries: waiting inside the driver would hide that the server is back.
    backoff: () => 0,
    fetch_types: options.isReader ?? false,
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    connection: {
      application_name: `larder-${options.name}`,
      TimeZone: 'UTC',
      statement_timeout: options.statementTimeoutMs,
      ...(options.isReader === true ? readerSettings : {}),
    },
  })
}

// "May we speak with GSS encryption?" Every server answers with one byte, without signing in.
const question = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x30])

const failure = (code: string) => Object.assign(new Error('no Postgres answered'), { code })

/** Resolves when something that speaks Postgres answers. */
function probe(target: HistoryTarget, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { host, port } = target
  const socket = host.startsWith('/')
    ? connect(join(host, `.s.PGSQL.${port}`))
    : connect({ host, port })
  const timer = setTimeout(() => reject(failure('CONNECT_TIMEOUT')), connectSeconds * 1000)
  const giveUp = () => socket.destroy()
  signal?.addEventListener('abort', giveUp)
  socket.once('connect', () => socket.write(question))
  socket.once('data', () => resolve())
  socket.once('error', reject)
  socket.once('close', () => reject(failure('CONNECTION_CLOSED')))
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    socket.destroy()
  })
}

/**
 * Opens a client and waits for its first answer. The driver itself would wait for ever, and
 * busily, for a proxy that accepts connections and closes them because its server is away.
 */
export async function reachClient(target: HistoryTarget, options: ClientOptions): Promise<Sql> {
  await probe(target, options.signal)
  const sql = openClient(target, options)
  try {
    if (await within(sql`select 1`.execute(), firstAnswerMs)) return sql
    throw failure('CONNECTION_CLOSED')
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}
