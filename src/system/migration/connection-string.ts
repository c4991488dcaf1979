import type { HistoryTarget } from '../../../db/history/connect.ts'
import { AppError } from '../../core/http/errors.ts'

/** Keys as Npgsql accepts them, without blanks and in lower case. */
const fields: Readonly<Record<string, keyof HistoryTarget>> = {
  host: 'host',
  server: 'host',
  port: 'port',
  database: 'database',
  db: 'database',
  username: 'user',
  userid: 'user',
  user: 'user',
  password: 'password',
  pwd: 'password',
}

/** `key=value`; a value in quotes may contain semicolons, and doubled quotes. */
const pair = /\s*([^=;]+?)\s*=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[^;]*?)\s*(?:;|$)/y

const unquoted = (value: string): string => {
  const [quote] = value
  if (quote !== '"' && quote !== "'") return value
  return value.slice(1, -1).replaceAll(quote + quote, quote)
}

const malformed = () =>
  new AppError(
    'invalid',
    'The connection string must have the form Host=…;Port=5432;Database=…;Username=…;Password=…',
  )

/**
 * Reads the `key=value;` form of PostgreSQL connection strings; unknown keys are ignored. Throws
 * `invalid`, without quoting the text: it contains a password.
 */
export function parseConnectionString(text: string): HistoryTarget {
  const found: Partial<Record<keyof HistoryTarget, string>> = {}
  const trimmed = text.trim().replace(/;+$/, '')
  if (trimmed === '') throw new AppError('invalid', 'The connection string is missing')
  pair.lastIndex = 0
  while (pair.lastIndex < trimmed.length) {
    const [, key = '', value = ''] = pair.exec(trimmed) ?? []
    if (key === '') throw malformed()
    const field = fields[key.toLowerCase().replaceAll(/\s/g, '')]
    if (field !== undefined) found[field] = unquoted(value)
  }
  const { host = '', database = '', user = 'postgres', password = '' } = found
  const port = Number(found.port ?? 5432)
  if (host === '' || database === '') throw malformed()
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new AppError('invalid', 'The port of the connection string must be 1 to 65535')
  }
  return { host, port, database, user, password }
}
