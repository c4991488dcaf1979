import postgres, { type Sql } from 'postgres'
import { orLate } from '../../src/core/lib/within.ts'
import type { HistoryTarget } from './connect.ts'
import { openClient } from './connect.ts'
import { describeFailure, failureCode, HistoryFault } from './failures.ts'

/** How long the set-up page waits for an external server. */
const probeSeconds = 10

/** Changes the role's own password. Throws HistoryFault, which never contains a password. */
export async function setOwnPassword(target: HistoryTarget, password: string): Promise<void> {
  const sql = openClient(target, { name: 'setup', connections: 1, statementTimeoutMs: 10_000 })
  try {
    // Utility statements take no parameters: the server itself does the quoting.
    const [statement] = await sql<{ text: string }[]>`
      select format('ALTER ROLE %I PASSWORD %L', ${target.user}::text, ${password}::text) as text`
    await sql.unsafe(statement?.text ?? '')
  } catch (error) {
    throw new HistoryFault(describeFailure(error, target), { cause: withoutQuery(error) })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The driver keeps the statement, including the password, in its errors. */
const withoutQuery = (error: unknown) => new Error(`code ${failureCode(error) ?? 'unknown'}`)

interface Rights {
  database: boolean
  replica: boolean
}

async function rightsOf(sql: Sql, schema: string): Promise<Rights> {
  const [row] = await sql<Rights[]>`
    select coalesce(has_schema_privilege(to_regnamespace(quote_ident(${schema})), 'CREATE'),
        has_database_privilege(current_database(), 'CREATE')) as database,
      pg_is_in_recovery() as replica`
  return row ?? { database: false, replica: false }
}

/** Connects to an external server and checks whether it allows creating our tables. */
export async function probeServer(target: HistoryTarget, seconds = probeSeconds): Promise<void> {
  const { schema = 'public', ...server } = target
  const sql = postgres({
    ...server,
    max: 1,
    ssl: target.host.startsWith('/') ? false : 'prefer',
    connect_timeout: seconds,
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'larder-setup', statement_timeout: seconds * 1000 },
  })
  try {
    // The driver's own limit does not cover a server that accepts and then never answers.
    const rights = await orLate(rightsOf(sql, schema), seconds * 1000, null)
    if (rights === null) throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
    if (rights.replica)
      throw new HistoryFault('The server is a read-only replica: name the primary')
    if (!rights.database) throw Object.assign(new Error('no right to create'), { code: '42501' })
  } catch (error) {
    if (error instanceof HistoryFault) throw error
    throw new HistoryFault(describeFailure(error, target), { cause: withoutQuery(error) })
  } finally {
    await sql.end({ timeout: 0 })
  }
}
