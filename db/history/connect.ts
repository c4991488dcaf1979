import postgres, { type Sql } from 'postgres'

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
  /** Array types are looked up once per client, which only readers of arrays need. */
  isReader?: boolean
}

/** Seconds until an unanswered attempt counts as failed. */
const connectSeconds = 3

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
    connection: {
      application_name: `larder-${options.name}`,
      TimeZone: 'UTC',
      statement_timeout: options.statementTimeoutMs,
    },
  })
}
