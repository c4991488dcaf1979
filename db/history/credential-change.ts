import type { Sql } from 'postgres'
import { orLate } from '../../src/core/lib/within.ts'
import type { HistoryTarget } from './connect.ts'
import { openClient, reachClient } from './connect.ts'
import { describeFailure, failureCode, HistoryFault } from './failures.ts'
import { findServer } from './find-server.ts'

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

async function mayCreate(sql: Sql, schema: string): Promise<boolean> {
  const [row] = await sql<{ isAllowed: boolean }[]>`
    select coalesce(has_schema_privilege(to_regnamespace(quote_ident(${schema})), 'CREATE'),
      has_database_privilege(current_database(), 'CREATE')) as "isAllowed"`
  return row?.isAllowed ?? false
}

async function rightsAt(configured: HistoryTarget, signal: AbortSignal): Promise<boolean> {
  const target = await findServer(configured, signal)
  const options = { name: 'setup', connections: 1, statementTimeoutMs: probeSeconds * 1000, signal }
  const sql = await reachClient(target, options)
  try {
    return await mayCreate(sql, target.schema ?? 'public')
  } finally {
    await sql.end({ timeout: 0 })
  }
}

/** Connects to an external server and checks whether it allows creating our tables. */
export async function probeServer(target: HistoryTarget, seconds = probeSeconds): Promise<void> {
  const attempt = new AbortController()
  try {
    const isAllowed = await orLate(rightsAt(target, attempt.signal), seconds * 1000, null)
    if (isAllowed === null) throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
    if (!isAllowed) throw Object.assign(new Error('no right to create'), { code: '42501' })
  } catch (error) {
    if (error instanceof HistoryFault) throw error
    throw new HistoryFault(describeFailure(error, target), { cause: withoutQuery(error) })
  } finally {
    attempt.abort()
  }
}
